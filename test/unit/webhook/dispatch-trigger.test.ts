import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Observed } from '../../../src/domain/run/events.js';
import type { DispatchSettings } from '../../../src/webhook/dispatch/dispatch-deps.js';
import { dispatchWorld } from '../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../support/webhook/dispatch-world.js';
import { ALICE, BOT, user } from '../../support/webhook/fake-forge.js';
import { commentEvent, issueEvent, pullEvent } from '../../support/webhook/payloads.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const ID = 'gitea:alice/demo#12';
const ACT_AT = 1_700_000_000_000;
const iso = (ms: number): string => new Date(ms).toISOString();

describe('dispatching what may start or end a run', () => {
  const newPath = useNewPaths();
  let world: DispatchWorld;
  let salt = 0;

  function fresh(settings: Partial<DispatchSettings> = {}, ack = true): Promise<DispatchWorld> {
    const directory = newPath();
    mkdirSync(directory);
    return dispatchWorld(directory, settings, ack);
  }
  beforeEach(async () => {
    world = await fresh();
  });
  afterEach(async () => {
    await world.close();
  });

  async function label(): Promise<string | undefined> {
    await world.deliver('issue_label', issueEvent({ salt: String((salt += 1)) }));
    await world.settle();
    return world.outcomes.at(-1)?.outcome;
  }

  function lastObserved(): Observed {
    const event = world.gateway.sent.at(-1)?.event;
    assert.ok(event?.kind === 'observed');
    return event;
  }

  async function lived(changes: Parameters<typeof stateRow>[0] = {}, triggerAt = ACT_AT): Promise<void> {
    const row = stateRow(changes);
    await world.database.forgeState.upsert(row);
    await world.database.runs.appendRun({
      slug: row.slug,
      workflowId: `gitea:${row.owner}/${row.repo}#${String(row.issueNumber)}`,
      subject: ID,
      agentName: 'coder',
      bottleNames: ['default'],
      triggerActor: 'alice',
      triggerAt,
      triggerActId: 2,
      createdAt: triggerAt,
    });
  }

  it('starts a run for a complete trigger, by whom and when it was completed, and leaves the eyes', async () => {
    world.forge.trigger(12, ACT_AT);
    assert.equal(await label(), 'started');
    assert.deepEqual(
      world.gateway.sent.map(({ id, start }) => [id, start]),
      [[ID, true]],
    );
    const { readAt, ...rest } = lastObserved();
    assert.ok(readAt > ACT_AT);
    const textHash = createHash('sha256').update('["Issue 12","text",""]').digest('hex');
    const order = { actAt: ACT_AT, actId: 2 };
    const trigger = { agent: 'coder', bottles: [], actor: 'alice', ...order, textHash, pull: null };
    assert.deepEqual(rest, {
      kind: 'observed',
      open: true,
      closedAt: null,
      triggered: true,
      trigger,
      prs: [],
      place: { repoId: 7, owner: 'alice', repo: 'demo' },
    });
    assert.deepEqual(world.forge.reactions, [[12, 'eyes']]);
  });

  it('leaves the eyes once for the three deliveries of one creation', async () => {
    world.forge.trigger(12, ACT_AT);
    for (const type of ['issue_assign', 'issues', 'issue_label'])
      await world.deliver(type, issueEvent({ action: 'opened', salt: type }));
    await world.settle();
    assert.deepEqual(world.forge.reactions, [[12, 'eyes']]);
    assert.ok(world.gateway.sent.every((sent) => sent.start));
  });

  it('reads once for deliveries that all came before the read, and says so', async () => {
    world.forge.trigger(12, ACT_AT);
    for (let index = 0; index < 20; index += 1)
      await world.deliver('issue_label', issueEvent({ salt: `burst ${String(index)}` }));
    world.skip(10);
    await world.settle();
    assert.equal(world.gateway.sent.length, 1);
    assert.deepEqual(
      world.outcomes.map(({ outcome }) => outcome),
      ['started', ...Array<string>(19).fill('covered')],
    );
  });

  it('signals once what several deliveries in a row find unchanged, and again what changed since', async () => {
    world.forge.trigger(12, ACT_AT);
    assert.equal(await label(), 'started');
    assert.equal(await label(), 'covered');
    assert.equal(world.gateway.sent.length, 1);
    world.skip(60_000);
    assert.equal(await label(), 'started', 'much later the workflow is told again');
    world.forge.putIssue(12, { labels: [] });
    assert.equal(await label(), 'signalled');
    assert.equal(lastObserved().triggered, false);
  });

  it('believes the forge, not the payload', async () => {
    world.forge.putIssue(12);
    await world.deliver(
      'issue_label',
      issueEvent({ labels: ['bot-bottle:coder'], assignees: [{ id: 9, login: 'bot' }] }),
    );
    await world.settle();
    assert.equal(world.outcomes[0]?.outcome, 'no_run');
    assert.deepEqual(world.gateway.sent, []);
  });

  it('takes a named bottle along', async () => {
    world.forge.trigger(12, ACT_AT);
    world.forge.putIssue(12, { labels: ['bot-bottle:coder', 'bot-bottle-bottle:default'] });
    await label();
    assert.deepEqual(lastObserved().trigger?.bottles, ['default']);
  });

  it('does nothing about an incomplete trigger', async () => {
    world.forge.putIssue(12, { labels: ['bot-bottle:coder'] });
    assert.equal(await label(), 'no_run');
    world.forge.putIssue(12, { labels: [], assignees: [user('bot', 9)] });
    assert.equal(await label(), 'no_run');
    assert.deepEqual([world.rejected, world.forge.reactions], [[], []]);
  });

  const refusals: [string, RegExp, (world: DispatchWorld) => void][] = [
    [
      'two agent labels',
      /two agent labels/,
      ({ forge }) => forge.putIssue(12, { labels: ['bot-bottle:coder', 'bot-bottle:other'] }),
    ],
    [
      'an unknown agent',
      /no agent "nobody"/,
      ({ forge }) => forge.putIssue(12, { labels: ['bot-bottle:nobody'] }),
    ],
    [
      'an unknown bottle',
      /no bottle "x"/,
      ({ forge }) => forge.putIssue(12, { labels: ['bot-bottle:coder', 'bot-bottle-bottle:x'] }),
    ],
    [
      'an agent whose own bottle is unknown',
      /no bottle "nowhere"/,
      ({ forge }) => forge.trigger(12, ACT_AT, 'lost'),
    ],
    [
      'no assignee in the org',
      /no assignee \(alice\)/,
      ({ forge }) => forge.putIssue(12, { assignees: [ALICE] }),
    ],
    [
      'the bot as the one who completed it, whatever its rights',
      /bot may not start itself/,
      ({ forge }) => {
        forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 1, BOT);
      },
    ],
    [
      'an actor without write access',
      /mallory may not/,
      ({ forge }) => {
        forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 1, user('mallory', 66));
      },
    ],
  ];
  for (const [what, reason, arrange] of refusals) {
    it(`starts nothing for ${what}, says why, once, and leaves one confused face`, async () => {
      world.forge.trigger(12, ACT_AT);
      arrange(world);
      await label();
      world.skip(1000);
      await label();
      assert.deepEqual(world.gateway.sent, []);
      assert.equal(world.rejected.length, 1);
      assert.match(world.rejected[0]?.reason ?? '', reason);
      assert.deepEqual(world.forge.reactions, [[12, 'confused']]);
    });
  }

  it('says that the bot may not start itself also when the bot is who is heard of', async () => {
    world.forge.trigger(12, ACT_AT);
    world.forge.act(12, 'labeled', 'bot-bottle:coder', ACT_AT + 1, BOT);
    await world.deliver('issue_label', issueEvent({ sender: BOT, salt: 'by the bot' }));
    await world.settle();
    assert.deepEqual(world.gateway.sent, []);
    assert.match(world.rejected[0]?.reason ?? '', /may not start itself/);
  });

  it('leaves no reactions when they are turned off, and refuses all the same', async () => {
    await world.close();
    world = await fresh({}, false);
    world.forge.trigger(12, ACT_AT, 'nobody');
    await label();
    assert.deepEqual([world.rejected.length, world.forge.reactions], [1, []]);
  });

  it('asks for org membership, or nothing, where the operator wants that', async () => {
    for (const [trigger, expected] of [
      ['org', 'no_run'],
      ['anyone', 'started'],
    ] as const) {
      await world.close();
      world = await fresh({ trigger });
      world.forge.trigger(12, ACT_AT, 'coder', user('mallory', 66));
      assert.equal(await label(), expected);
    }
  });

  it('refuses a pull request from a fork as a subject', async () => {
    world.forge.trigger(31, ACT_AT);
    world.forge.putIssue(31, { isPull: true });
    world.forge.putPull(31, { head: { ref: 'x', sha: 'y', fromFork: true } });
    await world.deliver('pull_request_label', pullEvent({ headRepoId: 8 }));
    await world.settle();
    assert.deepEqual(world.gateway.sent, []);
    assert.match(world.rejected[0]?.reason ?? '', /fork/);
  });

  it('starts a run whose subject is a pull request of the repository itself', async () => {
    world.forge.trigger(31, ACT_AT);
    world.forge.putIssue(31, { isPull: true });
    world.forge.putPull(31);
    await world.deliver('pull_request_label', pullEvent());
    await world.settle();
    assert.deepEqual(
      world.gateway.sent.map(({ id, start }) => [id, start]),
      [['gitea:alice/demo#31', true]],
    );
  });

  it('says nothing of what the bot did itself, unless something closed meanwhile', async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ prNumber: 31 });
    world.gateway.running.add(ID);
    world.forge.putPull(31);
    const opened = (salt: string): object => pullEvent({ action: 'opened', sender: BOT, salt });
    await world.deliver('pull_request', opened('1'));
    await world.settle();
    assert.deepEqual([world.outcomes.at(-1)?.outcome, world.gateway.sent], ['own', []]);
    world.forge.putPull(31, { state: 'closed', closedAt: iso(ACT_AT + 5000) });
    await world.deliver('pull_request', opened('2'));
    await world.settle();
    assert.equal(world.outcomes.at(-1)?.outcome, 'signalled');
  });

  it('tells a living run about its old trigger by plain signal, so that an ended one stays ended', async () => {
    world.forge.trigger(12, ACT_AT);
    await lived();
    world.gateway.running.add(ID);
    assert.equal(await label(), 'signalled');
    world.gateway.running.clear();
    world.skip(60_000);
    assert.equal(await label(), 'no_run');
    assert.ok(world.gateway.sent.every((sent) => !sent.start));
  });

  it('starts nothing for a condition that merely still holds after the run was destroyed', async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ status: 'destroyed', destroyedAt: ACT_AT + 60_000, prNumber: 31 });
    world.forge.putPull(31, { state: 'closed', closedAt: iso(ACT_AT + 50_000) });
    assert.equal(await label(), 'no_run');
    assert.deepEqual(world.forge.reactions, []);
  });

  it('starts a new run for an act later than the end of the last one', async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ status: 'destroyed', destroyedAt: ACT_AT + 60_000 });
    world.forge.act(12, 'reopened', '', ACT_AT + 60_000, ALICE);
    assert.equal(await label(), 'started');
    assert.equal(lastObserved().trigger?.actAt, ACT_AT + 60_000);
  });

  it('notices that the run ended while the forge was being read', async () => {
    world.forge.trigger(12, ACT_AT);
    world.forge.fault = (call) => {
      if (call === 'timeline') void lived({ status: 'destroyed', destroyedAt: ACT_AT + 5000 });
    };
    assert.equal(await label(), 'no_run');
    assert.deepEqual(world.gateway.sent, []);
  });

  it("brings a closed pull request to its run's workflow, by the row's number", async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ prNumber: 31, status: 'frozen' });
    world.gateway.running.add(ID);
    world.forge.putPull(31, { state: 'closed', merged: true, closedAt: iso(ACT_AT + 9000) });
    await world.deliver('pull_request', pullEvent({ action: 'closed' }));
    await world.settle();
    assert.equal(world.gateway.sent[0]?.id, ID);
    assert.deepEqual(lastObserved().prs, [
      { number: 31, open: false, merged: true, closedAt: ACT_AT + 9000 },
    ]);
  });

  it("recognises a run's pull request by its branch before the row knows its number, but never a fork's", async () => {
    world.forge.trigger(12, ACT_AT);
    await lived();
    world.gateway.running.add(ID);
    const head = { ref: 'bot-bottle/12-abc12', sha: 'x', fromFork: false };
    world.forge.putPull(31, { state: 'closed', head });
    await world.deliver('pull_request', pullEvent({ action: 'closed', headRef: head.ref }));
    await world.settle();
    assert.deepEqual(
      lastObserved().prs.map((pr) => pr.number),
      [31],
    );

    world.forge.putIssue(32, { isPull: true });
    const stranger = user('mallory', 66);
    world.forge.putPull(32, { state: 'closed', head: { ...head, fromFork: true, forkOwner: stranger } });
    await world.deliver(
      'pull_request',
      pullEvent({ number: 32, action: 'closed', headRef: head.ref, headRepoId: 8, headOwnerId: 66 }),
    );
    await world.settle();
    assert.equal(world.outcomes.at(-1)?.outcome, 'no_run');
    assert.equal(world.gateway.sent.length, 1);
  });

  it('recognises it in the bot’s fork as well, before and after the row knows its number', async () => {
    for (const prNumber of [null, 31]) {
      world = await fresh();
      world.forge.trigger(12, ACT_AT);
      await lived({ prNumber });
      world.gateway.running.add(ID);
      const head = { ref: 'bot-bottle/12-abc12', sha: 'x', fromFork: true, forkOwner: BOT };
      world.forge.putIssue(31, { isPull: true });
      world.forge.putPull(31, { state: 'closed', closedAt: iso(ACT_AT + 9000), head });
      const fork = { headRef: head.ref, headRepoId: 8, headOwnerId: BOT.id };
      await world.deliver('pull_request', pullEvent({ action: 'closed', ...fork }));
      await world.settle();
      assert.deepEqual(
        lastObserved().prs.map((pr) => [pr.number, pr.open]),
        [[31, false]],
      );
    }
  });

  it('starts no second run for the bot’s own pull request, whoever labels it', async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ prNumber: 31 });
    world.gateway.running.add(ID);
    world.forge.trigger(31, ACT_AT + 5_000);
    world.forge.putIssue(31, { isPull: true });
    world.forge.putPull(31, {
      head: { ref: 'bot-bottle/12-abc12', sha: 'x', fromFork: true, forkOwner: BOT },
    });
    const fork = { headRef: 'bot-bottle/12-abc12', headRepoId: 8, headOwnerId: BOT.id };
    await world.deliver('pull_request_label', pullEvent(fork));
    await world.settle();
    assert.deepEqual(
      world.gateway.sent.map(({ id }) => id),
      [ID],
    );
    assert.deepEqual(world.rejected, []);
  });

  describe('a comment after somebody reopened what was destroyed', () => {
    const REOPENED = ACT_AT + 90_000;
    beforeEach(async () => {
      world.forge.trigger(12, ACT_AT);
      await lived({ status: 'destroyed', destroyedAt: ACT_AT + 60_000 });
      world.forge.act(12, 'reopened', '', REOPENED, ALICE);
      world.forge.putComment(77, ALICE, 'one more thing', REOPENED + 1_000);
    });
    const reopened = (): Promise<void> => world.deliver('issues', issueEvent({ action: 'reopened' }));
    const commented = (): Promise<void> => world.deliver('issue_comment', commentEvent());
    const sent = (): (readonly [string, boolean])[] =>
      world.gateway.sent.map(({ event, start }) => [event.kind, start]);

    it('reaches the new run, whose row is not there yet', async () => {
      await reopened();
      await commented();
      await world.settle();
      assert.deepEqual(sent(), [
        ['observed', true],
        ['references', false],
      ]);
      assert.equal(world.outcomes.at(-1)?.outcome, 'signalled');
    });

    it('begins the run when it overtakes what asked for it, and follows that', async () => {
      await commented();
      await world.settle();
      assert.deepEqual(sent(), [
        ['observed', true],
        ['references', false],
      ]);
      assert.deepEqual(
        world.outcomes.map(({ outcome }) => outcome),
        ['signalled'],
      );
      await reopened();
      await world.settle();
      assert.equal(world.outcomes.at(-1)?.outcome, 'covered');
      assert.equal(world.gateway.sent.length, 2);
    });

    it('stays with the old one when it was written before', async () => {
      world.forge.putComment(77, ALICE, 'farewell', REOPENED - 1_000);
      await commented();
      await world.settle();
      assert.deepEqual(sent(), [['observed', true]]);
      assert.equal(world.outcomes.at(-1)?.outcome, 'no_run');
    });

    it('begins nothing where nobody asked again', async () => {
      world.forge.timelines.clear();
      world.forge.trigger(12, ACT_AT);
      await commented();
      await world.settle();
      assert.deepEqual(sent(), []);
      assert.equal(world.outcomes.at(-1)?.outcome, 'no_run');
    });
  });

  it('begins a first run for a comment that overtakes its trigger, and asks the forge for no other comment', async () => {
    world.forge.trigger(12, ACT_AT);
    world.forge.putComment(77, ALICE, 'hurry', ACT_AT + 1_000);
    await world.deliver('issue_comment', commentEvent({ salt: 'no label' }));
    await world.settle();
    assert.ok(!world.forge.calls.includes('timeline'));
    const labels = ['bot-bottle:coder'];
    await world.deliver('issue_comment', commentEvent({ labels, assignees: [BOT] }));
    await world.settle();
    assert.deepEqual(
      world.gateway.sent.map(({ event, start }) => [event.kind, start]),
      [
        ['observed', true],
        ['references', false],
      ],
    );
  });

  it("starts a new run when a destroyed run's pull request is reopened while the trigger holds", async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ status: 'destroyed', destroyedAt: ACT_AT + 60_000, prNumber: 31 });
    world.forge.putPull(31);
    world.forge.act(31, 'reopened', '', ACT_AT + 90_000, ALICE);
    await world.deliver('pull_request', pullEvent({ action: 'reopened' }));
    await world.settle();
    assert.deepEqual(
      world.gateway.sent.map(({ id, start }) => [id, start]),
      [[ID, true]],
    );
    assert.deepEqual(lastObserved().prs, [{ number: 31, open: true, merged: false, closedAt: null }]);
  });

  it('tells of a reopened pull request while the row of its run does not say yet that it was destroyed', async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ status: 'frozen', prNumber: 31 });
    world.forge.putPull(31);
    world.forge.act(31, 'reopened', '', ACT_AT + 90_000, ALICE);
    await world.deliver('pull_request', pullEvent({ action: 'reopened' }));
    await world.settle();
    assert.equal(lastObserved().trigger?.actAt, ACT_AT + 90_000);
  });

  it('tells the workflow that the label is gone', async () => {
    await lived();
    world.gateway.running.add(ID);
    world.forge.putIssue(12, { assignees: [user('bot', 9)] });
    assert.equal(await label(), 'signalled');
    assert.deepEqual(
      [lastObserved().triggered, lastObserved().trigger, lastObserved().open],
      [false, null, true],
    );
  });

  it('follows a renamed repository to the workflow of its old name', async () => {
    world.forge.trigger(12, ACT_AT);
    await lived({ owner: 'old', repo: 'name' });
    world.gateway.running.add('gitea:old/name#12');
    assert.equal(await label(), 'signalled');
    assert.equal(world.gateway.sent[0]?.id, 'gitea:old/name#12');
  });

  it('asks the forge for everything of a likely trigger at once', async () => {
    world.forge.trigger(12, ACT_AT);
    // All reads of the first round are asked for before any of them is answered.
    const order: string[] = [];
    world.forge.fault = (call) => {
      order.push(call);
      if (order.length === 1)
        assert.deepEqual([...world.forge.calls].sort(), [
          'issue 12',
          'member bot',
          'permission alice',
          'timeline',
          'whoami',
        ]);
    };
    await world.deliver(
      'issue_label',
      issueEvent({ labels: ['bot-bottle:coder'], assignees: [{ id: 9, login: 'bot' }] }),
    );
    await world.settle();
    assert.equal(world.outcomes[0]?.outcome, 'started');
  });
});
