import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import type { Observed, WakeReference } from '../../../src/domain/run/events.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';
import { dispatchWorld } from '../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../support/webhook/dispatch-world.js';
import { ALICE, BOT, user } from '../../support/webhook/fake-forge.js';
import { alice, commentEvent, issueEvent, pullEvent, statusEvent } from '../../support/webhook/payloads.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const ID = 'gitea:alice/demo#12';
const ACT_AT = 1_700_000_000_000;
const MALLORY = user('mallory', 66);
const RENOVATE = user('renovate', 77);

/** What each step makes of it is in `dispatch/`; here they are put together, over a real inbox and real rows. */
describe('what is delivered, on its way to the workflow', () => {
  const newPath = useNewPaths();
  let world: DispatchWorld;

  beforeEach(async () => {
    const directory = newPath();
    mkdirSync(directory);
    world = await dispatchWorld(directory, { ignored: new Set(['renovate']) });
  });
  afterEach(async () => {
    await world.close();
  });

  async function settle(): Promise<string | undefined> {
    await world.settle();
    return world.outcomes.at(-1)?.outcome;
  }
  async function outcomeOf(eventType: string, payload: object): Promise<string | undefined> {
    await world.deliver(eventType, payload);
    return settle();
  }
  async function living(changes: Partial<ForgeStateRow> = {}): Promise<void> {
    const row = stateRow({ status: 'frozen', ...changes });
    await world.database.forgeState.upsert(row);
    await world.database.runs.appendRun({
      slug: row.slug,
      workflowId: row.workflowId,
      subject: ID,
      agentName: 'coder',
      bottleNames: ['default'],
      triggerActor: 'alice',
      triggerAt: ACT_AT,
      triggerActId: 2,
      createdAt: ACT_AT,
    });
    if (row.status !== 'destroyed') world.gateway.running.add(row.workflowId);
  }
  async function comments(from: number, to: number): Promise<void> {
    for (let id = from; id <= to; id += 1) {
      world.forge.putComment(id, ALICE, `text ${String(id)}`);
      await world.deliver('issue_comment', commentEvent({ commentId: id }));
    }
  }
  const sent = (): (readonly [string, string, boolean])[] =>
    world.gateway.sent.map(({ id, event, start }) => [id, event.kind, start]);
  const references = (): (readonly WakeReference[])[] =>
    world.gateway.sent.flatMap(({ event }) => (event.kind === 'references' ? [event.references] : []));
  const ids = (): number[][] => references().map((together) => together.map(({ id }) => id));
  function lastObserved(): Observed {
    const event = world.gateway.sent.at(-1)?.event;
    return event?.kind === 'observed' ? event : assert.fail('nothing observed');
  }

  it('starts a run for a complete trigger, by whom and when it was completed, and leaves the eyes', async () => {
    world.forge.trigger(12, ACT_AT);
    assert.equal(await outcomeOf('issue_label', issueEvent()), 'started');
    assert.deepEqual(sent(), [[ID, 'observed', true]]);
    const { readAt, ...rest } = lastObserved();
    assert.ok(readAt > ACT_AT);
    const textHash = createHash('sha256').update('["Issue 12","text",""]').digest('hex');
    const order = { actAt: ACT_AT, actId: 2 };
    assert.deepEqual(rest, {
      kind: 'observed',
      open: true,
      closedAt: null,
      triggered: true,
      trigger: { agent: 'coder', bottles: [], actor: 'alice', ...order, textHash, pull: null },
      prs: [],
      place: { repoId: 7, owner: 'alice', repo: 'demo' },
    });
    assert.deepEqual(world.forge.reactions, [[12, 'eyes']]);
  });

  it('starts one for nobody but who opened the subject last, where that is the last act', async () => {
    world.forge.trigger(12, ACT_AT);
    world.forge.putIssue(12, { author: MALLORY, createdAt: new Date(ACT_AT + 1_000).toISOString() });
    assert.equal(await outcomeOf('issue_label', issueEvent()), 'no_run');
    assert.match(world.rejected[0]?.reason ?? '', /^mallory may not start an agent here/);
  });

  it('believes the forge, not the payload', async () => {
    world.forge.putIssue(12);
    const payload = issueEvent({ labels: ['bot-bottle:coder'], assignees: [{ id: 9, login: 'bot' }] });
    assert.equal(await outcomeOf('issue_label', payload), 'no_run');
    assert.deepEqual(sent(), []);
  });

  it('notices that the run ended while the forge was being read', async () => {
    world.forge.trigger(12, ACT_AT);
    world.forge.fault = (call) => {
      if (call === 'timeline') void living({ status: 'destroyed', destroyedAt: ACT_AT + 5000 });
    };
    assert.equal(await outcomeOf('issue_label', issueEvent()), 'no_run');
    assert.deepEqual(sent(), []);
  });

  it('starts no second run for the bot’s own pull request, whoever labels it', async () => {
    world.forge.trigger(12, ACT_AT);
    await living({ prNumber: 31 });
    world.forge.trigger(31, ACT_AT + 5_000);
    world.forge.putIssue(31, { isPull: true });
    const head = { ref: 'bot-bottle/12-abc12', sha: 'x', fromFork: true, forkOwner: BOT };
    world.forge.putPull(31, { head });
    const fork = { headRef: head.ref, headRepoId: 8, headOwnerId: BOT.id };
    await outcomeOf('pull_request_label', pullEvent(fork));
    assert.deepEqual(sent(), [[ID, 'observed', false]]);
    assert.deepEqual(world.rejected, []);
  });

  it('tells of a reopened pull request while the row of its run does not say yet that it was destroyed', async () => {
    world.forge.trigger(12, ACT_AT);
    await living({ prNumber: 31 });
    world.forge.putPull(31);
    world.forge.act(31, 'reopened', '', ACT_AT + 90_000, ALICE);
    await outcomeOf('pull_request', pullEvent({ action: 'reopened' }));
    assert.equal(lastObserved().trigger?.actAt, ACT_AT + 90_000);
  });

  it('starts nothing for a comment on a run that was destroyed', async () => {
    world.forge.trigger(12, ACT_AT);
    await living({ status: 'destroyed', destroyedAt: ACT_AT + 60_000 });
    world.forge.putComment(77, ALICE, 'anybody there?', ACT_AT + 91_000);
    assert.equal(await outcomeOf('issue_comment', commentEvent()), 'no_run');
    assert.deepEqual(sent(), []);
  });

  it('brings a comment to the new run, whose row is not there yet', async () => {
    world.forge.trigger(12, ACT_AT);
    await living({ status: 'destroyed', destroyedAt: ACT_AT + 60_000 });
    world.forge.act(12, 'reopened', '', ACT_AT + 90_000, ALICE);
    world.forge.putComment(77, ALICE, 'one more thing', ACT_AT + 91_000);
    await world.deliver('issues', issueEvent({ action: 'reopened' }));
    assert.equal(await outcomeOf('issue_comment', commentEvent()), 'signalled');
    assert.deepEqual(sent(), [
      [ID, 'observed', true],
      [ID, 'references', false],
    ]);
  });

  for (const order of ['issue first', 'pull request first']) {
    it(`keeps apart what is said on an issue and on the pull request of its earlier life, ${order}`, async () => {
      const branch = 'bot-bottle/12-bbbbb';
      await living({ slug: 'coder-alice-demo-12-bbbbb', branch, prNumber: 31 });
      for (const id of [1, 2, 3]) world.forge.putComment(id, ALICE, 'x');
      const pull = (number: number, commentId: number, headRef: string): object =>
        commentEvent({ number, commentId, pull: { headRef } });
      const said = [commentEvent({ commentId: 1 }), pull(31, 2, branch), pull(13, 3, 'bot-bottle/12-aaaaa')];
      for (const one of order === 'issue first' ? said : said.reverse())
        await world.deliver('issue_comment', one);
      await settle();
      assert.deepEqual(sent(), [[ID, 'references', false]]);
      assert.deepEqual(ids()[0]?.sort(), [1, 2]);
      const outcomes = world.outcomes.map(({ outcome }) => outcome);
      assert.deepEqual(outcomes.sort(), ['no_run', 'signalled', 'signalled']);
    });
  }

  it('makes a reference of failed checks, whoever tells of them', async () => {
    const sha = 'a'.repeat(40);
    const found = { forge: 'gitea', owner: 'alice', repo: 'demo', repoId: 7, number: 31, isPull: true };
    await living({ prNumber: 31 });
    world.forge.putPull(31, { head: { ref: 'bot-bottle/12-abc12', sha, fromFork: false } });
    world.forge.statuses.set(sha, [{ context: 'build', state: 'failure', description: '', url: '' }]);
    assert.equal(await outcomeOf('status', statusEvent({ sha })), 'signalled');
    const cause = { kind: 'checks', sha };
    await outcomeOf('reconciled', { ...found, headRef: 'bot-bottle/12-abc12', seen: 'x', cause });
    const [[delivered] = [], [polled] = []] = references();
    assert.deepEqual([delivered?.kind, delivered?.sha], ['checks', sha]);
    assert.deepEqual(polled, delivered);
    assert.doesNotMatch(JSON.stringify(world.gateway.sent), /build/);
  });

  it('becomes one signal of at most 200 references each, in order', async () => {
    await living();
    await comments(1, 450);
    await settle();
    assert.deepEqual(
      ids().map(({ length }) => length),
      [200, 200, 50],
    );
    assert.deepEqual(
      ids().flat(),
      Array.from({ length: 450 }, (_, index) => index + 1),
    );
    assert.ok(world.outcomes.every(({ outcome }) => outcome === 'signalled'));
  });

  it('leaves a row each in the record of what was decided, with why, and no text of strangers', async () => {
    await living();
    world.forge.permissions.set('renovate', 'admin');
    world.forge.putComment(1, ALICE, 'top secret words');
    world.forge.putComment(2, RENOVATE, 'bump left-pad');
    world.forge.putComment(3, MALLORY, 'obey me');
    for (const [commentId, sender] of [
      [1, alice],
      [2, RENOVATE],
      [3, MALLORY],
      [404, alice],
    ] as const)
      await world.deliver('issue_comment', commentEvent({ commentId, sender }));
    await settle();
    const rows = world.inbox.decisions(10).reverse();
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['signalled', 'ignored', 'not_allowed', 'signalled'],
    );
    assert.match(rows[0]?.detail ?? '', /^comment:1:[0-9a-f]{32}$/);
    assert.equal(rows[3]?.detail, 'withdrawn comment 404');
    assert.ok(rows.every((row) => row.orderKey === ID && row.eventType === 'issue_comment' && row.at > 0));
    assert.doesNotMatch(JSON.stringify([rows, world.gateway.sent]), /secret words|left-pad|obey/);
    assert.deepEqual(ids(), [[1]]);
  });
});
