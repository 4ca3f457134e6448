import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import type { WakeReference } from '../../../src/domain/run/events.js';
import type { CheckStatus } from '../../../src/domain/forge/issue.js';
import { checksKey } from '../../../src/domain/forge/reference-key.js';
import type { DispatchSettings } from '../../../src/webhook/dispatch/dispatch-deps.js';
import { sha256 } from '../../../src/webhook/sha256.js';
import { dispatchWorld } from '../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../support/webhook/dispatch-world.js';
import { ALICE, BOT, user } from '../../support/webhook/fake-forge.js';
import { commentEvent, pullEvent, statusEvent } from '../../support/webhook/payloads.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const ID = 'gitea:alice/demo#12';
const MALLORY = user('mallory', 66);

describe('dispatching what people write and push', () => {
  const newPath = useNewPaths();
  let world: DispatchWorld;
  let salt = 0;

  async function fresh(settings: Partial<DispatchSettings> = {}): Promise<void> {
    const directory = newPath();
    mkdirSync(directory);
    world = await dispatchWorld(directory, settings);
    await world.database.forgeState.upsert(stateRow({ prNumber: 31 }));
    world.gateway.running.add(ID);
    world.forge.putIssue(12, { assignees: [BOT] });
  }
  beforeEach(async () => {
    await fresh();
  });
  afterEach(async () => {
    await world.close();
  });

  async function comment(
    options: Parameters<typeof commentEvent>[0] = {},
    type = 'issue_comment',
  ): Promise<string | undefined> {
    await world.deliver(type, commentEvent({ salt: String((salt += 1)), ...options }));
    await world.settle();
    return world.outcomes.at(-1)?.outcome;
  }

  function references(): WakeReference[] {
    return world.gateway.sent.flatMap(({ id, start, event }) => {
      assert.deepEqual([id, start, event.kind], [ID, false, 'references']);
      return event.kind === 'references' ? [...event.references] : [];
    });
  }

  it('makes a reference of a comment: id and hash, no text', async () => {
    world.forge.putComment(77, ALICE, 'please hurry');
    assert.equal(await comment(), 'signalled');
    const [reference] = references();
    assert.match(reference?.key ?? '', /^comment:77:[0-9a-f]{32}$/);
    const { key: _key, ...rest } = reference ?? {};
    assert.deepEqual(rest, { kind: 'comment', number: 12, id: 77, sha: '', author: 'alice', at: 7000 });
    assert.doesNotMatch(JSON.stringify(world.gateway.sent), /hurry/);
  });

  it('gives an edited comment another key, and the same comment the same', async () => {
    world.forge.putComment(77, ALICE, 'one');
    await comment();
    await comment();
    world.forge.putComment(77, ALICE, 'two');
    await comment({ action: 'edited' });
    const keys = references().map(({ key }) => key);
    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[1], keys[2]);
  });

  it("brings comments on the run's pull request to the run", async () => {
    world.forge.putComment(78, ALICE, 'fix this');
    assert.equal(await comment({ number: 31, commentId: 78, pull: {} }, 'pull_request_comment'), 'signalled');
    assert.equal(references()[0]?.number, 31);
  });

  it("drops the bot's own comments, whoever is said to have sent them", async () => {
    world.forge.putComment(77, BOT, 'done');
    assert.equal(await comment({ sender: BOT }), 'own');
    assert.equal(await comment({ sender: ALICE }), 'own');
    assert.deepEqual(world.gateway.sent, []);
  });

  it('lets only those wake who may: author and acting person both', async () => {
    world.forge.putComment(77, MALLORY, 'obey');
    assert.equal(await comment({ sender: MALLORY }), 'not_allowed');
    assert.equal(await comment({ sender: ALICE, action: 'edited' }), 'not_allowed');
    world.forge.putComment(77, ALICE, 'obey');
    assert.equal(await comment({ sender: MALLORY, action: 'edited' }), 'not_allowed');
    assert.deepEqual(world.gateway.sent, []);
  });

  it('lets org members or anybody wake where the operator wants that', async () => {
    await world.close();
    await fresh({ wake: 'org' });
    world.forge.putComment(77, ALICE, 'x');
    assert.equal(await comment(), 'not_allowed');
    await world.close();
    await fresh({ wake: 'anyone' });
    world.forge.putComment(77, MALLORY, 'x');
    assert.equal(await comment({ sender: MALLORY }), 'signalled');
  });

  for (const [bottle, setting, says, who] of [
    ['open', 'collaborators', 'whom it names, were they anybody', { MALLORY: true, ALICE: true }],
    ['members', 'anyone', 'whom it names alone', { MALLORY: false, ALICE: false }],
    ['gone', 'anyone', 'who can write when it is gone', { MALLORY: false, ALICE: true }],
    ['broken', 'anyone', 'who can write when it cannot be read', { MALLORY: false, ALICE: true }],
  ] as const) {
    it(`asks the run’s own bottle before the operator’s setting: it lets wake ${says}`, async () => {
      await world.close();
      await fresh({ wake: setting });
      await world.database.forgeState.upsert(stateRow({ prNumber: 31, bottleNames: ['default', bottle] }));
      for (const [person, allowed] of [
        [MALLORY, who.MALLORY],
        [ALICE, who.ALICE],
      ] as const) {
        world.forge.putComment(77, person, 'x');
        assert.equal(await comment({ sender: person }), allowed ? 'signalled' : 'not_allowed', person.login);
      }
    });
  }

  it('wakes only on a mention of an assigned member where the operator wants that', async () => {
    await world.close();
    await fresh({ wakeOn: 'mention' });
    for (const [text, expected] of [
      ['what do you think?', 'not_mentioned'],
      ['mail me at x@bot.example', 'not_mentioned'],
      ['@bottle is somebody else', 'not_mentioned'],
      ['@alice look', 'not_mentioned'],
      ['please, @Bot, go on', 'signalled'],
      ['@bot.', 'signalled'],
    ] as const) {
      world.forge.putComment(77, ALICE, text);
      assert.equal(await comment(), expected, text);
    }
  });

  it('takes a comment back that is gone, whoever deleted it', async () => {
    assert.equal(await comment({ commentId: 404, action: 'deleted', sender: MALLORY }), 'signalled');
    const [sent] = world.gateway.sent;
    assert.deepEqual(sent?.event, {
      kind: 'references',
      references: [],
      withdrawn: [404],
      place: { repoId: 7, owner: 'alice', repo: 'demo' },
    });
  });

  it('is done with a comment that concerns no run', async () => {
    world.gateway.running.clear();
    world.forge.putComment(77, ALICE, 'x');
    assert.equal(await comment(), 'no_run');
  });

  it('refers to the review that was just submitted, not to older ones or those of others', async () => {
    const review = (id: number, author: typeof ALICE, second: number) =>
      ({
        id,
        author,
        state: 'changes_requested',
        body: '',
        submittedAt: new Date(second * 1000).toISOString(),
        comments: [],
      }) as const;
    world.forge.permissions.set('carol', 'admin');
    world.forge.reviews.set(31, [
      review(1, ALICE, 100),
      review(2, user('carol', 5), 1000),
      review(3, ALICE, 1001),
    ]);
    const payload = pullEvent({ action: 'reviewed', updatedAt: new Date(1001 * 1000).toISOString() });
    await world.deliver('pull_request_review_rejected', payload);
    await world.settle();
    assert.deepEqual(
      references().map(({ key, kind, id, number }) => [key, kind, id, number]),
      [['review:3', 'review', 3, 31]],
    );
  });

  it("refers to the head of a push by somebody else, and drops the bot's own pushes", async () => {
    world.forge.putPull(31);
    await world.deliver('pull_request_sync', pullEvent({ action: 'synchronized' }));
    await world.deliver('pull_request_sync', pullEvent({ action: 'synchronized', sender: BOT }));
    await world.settle();
    assert.deepEqual(references(), [
      { key: 'push:c0ffee', kind: 'push', number: 31, id: 0, sha: 'c0ffee', author: 'alice', at: 5000 },
    ]);
    assert.equal(world.outcomes[1]?.outcome, 'own');
  });

  describe('failed checks', () => {
    const HEAD = 'a'.repeat(40);
    const BASE = 'b'.repeat(40);
    const red = (context: string): CheckStatus => ({ context, state: 'failure', description: '', url: '' });

    beforeEach(() => {
      world.forge.putPull(31, {
        head: { ref: 'bot-bottle/12-abcde', sha: HEAD, fromFork: false },
        base: { ref: 'main', sha: BASE },
      });
      world.forge.statuses.set(HEAD, [red('build'), { ...red('lint'), state: 'success' }]);
    });

    async function told(sha = HEAD, times = 1): Promise<string | undefined> {
      for (let time = 0; time < times; time += 1)
        await world.deliver('status', statusEvent({ sha, salt: String((salt += 1)) }));
      await world.settle();
      return world.outcomes.at(-1)?.outcome;
    }

    it('are a reference to the head whose pull request is the run’s, without any text', async () => {
      assert.equal(await told(), 'signalled');
      const [reference] = references();
      assert.match(reference?.key ?? '', new RegExp(`^checks:${HEAD}:[0-9a-f]{32}$`));
      const { key: _key, ...rest } = reference ?? {};
      assert.deepEqual(rest, { kind: 'checks', number: 31, id: 0, sha: HEAD, author: '', at: 5000 });
      assert.doesNotMatch(JSON.stringify(world.gateway.sent), /build/);
    });

    it('are the same thing as long as the same ones fail, however often that is told', async () => {
      await told();
      world.skip(60_000);
      await told();
      world.forge.statuses.set(HEAD, [red('build'), red('lint')]);
      await told();
      const keys = references().map(({ key }) => key);
      assert.equal(keys.length, 3);
      assert.equal(keys[0], keys[1]);
      assert.notEqual(keys[1], keys[2]);
    });

    it('are read once for a commit of which many deliveries tell', async () => {
      await told(HEAD, 10);
      const reads = world.forge.calls.filter((call) => call.startsWith('statuses'));
      assert.deepEqual(reads, [`statuses ${HEAD}`, `statuses ${BASE}`]);
    });

    it('are none where the base fails the same way, and only the others count where it fails otherwise', async () => {
      world.forge.statuses.set(BASE, [red('build')]);
      assert.equal(await told(), 'not_failing');
      world.forge.statuses.set(HEAD, [red('build'), { ...red('docs'), state: 'error' }]);
      assert.equal(await told(), 'signalled');
      const [{ key } = { key: '' }] = references();
      assert.equal(key, checksKey(HEAD, [red('docs')], sha256));
    });

    it('are none on a commit that is no head of ours, and on one that is none any longer', async () => {
      assert.equal(await told('c'.repeat(40)), 'no_run');
      await world.deliver('reconciled', { ...FOUND, cause: { kind: 'checks', sha: 'c'.repeat(40) } });
      await world.settle();
      assert.equal(world.outcomes.at(-1)?.outcome, 'gone');
      assert.deepEqual(world.gateway.sent, []);
    });

    it('are found by polling the same way', async () => {
      await world.deliver('reconciled', { ...FOUND, cause: { kind: 'checks', sha: HEAD } });
      await world.settle();
      assert.deepEqual(
        references().map(({ key }) => key),
        [checksKey(HEAD, [red('build')], sha256)],
      );
    });

    it('wake nothing in a bottle that says so, and in one that cannot be read', async () => {
      for (const bottle of ['quiet', 'broken', 'gone']) {
        await world.database.forgeState.upsert(stateRow({ prNumber: 31, bottleNames: ['default', bottle] }));
        assert.equal(await told(), 'not_allowed', bottle);
      }
      assert.deepEqual(world.gateway.sent, []);
    });

    it('of a pull request without a run are nobody’s', async () => {
      await world.database.forgeState.upsert(stateRow({ prNumber: 30, branch: 'bot-bottle/12-other' }));
      assert.equal(await told(), 'no_run');
    });
  });
});

const FOUND = {
  forge: 'gitea',
  owner: 'alice',
  repo: 'demo',
  repoId: 7,
  number: 31,
  isPull: true,
  headRef: 'bot-bottle/12-abcde',
  seen: 'x',
} as const;
