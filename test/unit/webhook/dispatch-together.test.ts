import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { ForgeHttpError } from '../../../src/domain/base/errors.js';
import type { RunEvent } from '../../../src/domain/run/events.js';
import type { DispatchSettings } from '../../../src/webhook/dispatch/dispatch-deps.js';
import { dispatchWorld } from '../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../support/webhook/dispatch-world.js';
import { ALICE, BOT, user } from '../../support/webhook/fake-forge.js';
import { alice, commentEvent, issueEvent } from '../../support/webhook/payloads.js';
import { stateRow } from '../../support/webhook/rows.js';
import { useNewPaths } from '../../support/webhook/temp-dir.js';

const ID = 'gitea:alice/demo#12';

/** Decision 6 of the architecture: what waits for one run is told together, and not too often. */
describe('deliveries that wait for the same run', () => {
  const newPath = useNewPaths();
  let world: DispatchWorld;

  async function fresh(
    status: 'running' | 'frozen',
    settings: Partial<DispatchSettings> = {},
  ): Promise<void> {
    const directory = newPath();
    mkdirSync(directory);
    world = await dispatchWorld(directory, settings);
    await world.database.forgeState.upsert(stateRow({ status }));
    world.gateway.running.add(ID);
    world.forge.putIssue(12, { assignees: [BOT] });
  }
  afterEach(async () => {
    await world.close();
  });

  async function comments(from: number, to: number): Promise<void> {
    for (let id = from; id <= to; id += 1) {
      world.forge.putComment(id, ALICE, `text ${String(id)}`);
      await world.deliver('issue_comment', commentEvent({ commentId: id }));
    }
  }
  const events = (): RunEvent[] => world.gateway.sent.map(({ event }) => event);
  const ids = (event: RunEvent | undefined): number[] =>
    event?.kind === 'references' ? event.references.map((one) => one.id) : [];

  it('become one signal of at most 200 references each, in order', async () => {
    await fresh('frozen');
    await comments(1, 450);
    await world.settle();
    assert.deepEqual(
      events().map((event) => ids(event).length),
      [200, 200, 50],
    );
    assert.deepEqual(
      events().flatMap(ids),
      Array.from({ length: 450 }, (_, index) => index + 1),
    );
    assert.ok(world.outcomes.every(({ outcome }) => outcome === 'signalled'));
  });

  it('are told no oftener than every two seconds while a turn runs', async () => {
    await fresh('running');
    await comments(1, 1);
    await world.settle();
    const first = world.now();
    await comments(2, 2);
    const dispatcher = world.start();
    const held = (): boolean =>
      world.inbox.due(world.now(), 1).length === 0 && world.inbox.stats().open === 1;
    while (!held()) await new Promise((resolve) => setImmediate(resolve));
    await comments(3, 5);
    await dispatcher.stop();
    assert.equal(world.gateway.sent.length, 1);
    await world.settle();
    assert.ok(world.now() - first >= 2_000);
    assert.deepEqual(events().map(ids), [[1], [2, 3, 4, 5]]);
  });

  it('are told at once while the run is frozen', async () => {
    await fresh('frozen');
    const before = world.now();
    for (const id of [1, 2, 3]) {
      await comments(id, id);
      await world.settle();
    }
    assert.deepEqual(events().map(ids), [[1], [2], [3]]);
    assert.ok(world.now() - before < 2_000);
  });

  it('keep what people wrote on its side of a change of state', async () => {
    await fresh('frozen');
    await comments(1, 2);
    await world.deliver('issue_label', issueEvent({ salt: 'between' }));
    await comments(3, 3);
    await world.settle();
    assert.deepEqual(
      events().map(({ kind }) => kind),
      ['references', 'observed', 'references'],
    );
    assert.deepEqual(events().flatMap(ids), [1, 2, 3]);
  });

  it('do not perish with one of them that nothing cures', async () => {
    await fresh('frozen');
    world.forge.fault = (call) => {
      if (call === 'comment 2') throw new TypeError('a bug');
    };
    await comments(1, 3);
    await world.settle();
    assert.deepEqual(events().flatMap(ids), [1, 3]);
    const ends = world.outcomes.filter(({ outcome }) => outcome !== 'retry').map(({ outcome }) => outcome);
    assert.deepEqual(ends, ['signalled', 'failed', 'signalled']);
  });

  it('are not lost, nor told twice as two things, when the forge fails in the middle of them', async () => {
    await fresh('frozen');
    let failures = 3;
    world.forge.fault = (call) => {
      if (call === 'comment 4' && (failures -= 1) >= 0) throw new ForgeHttpError(502, 'GET', '/', 'away');
    };
    await comments(1, 6);
    await world.settle();
    assert.deepEqual(new Set(events().flatMap(ids)), new Set([1, 2, 3, 4, 5, 6]));
    assert.equal(world.inbox.stats().open, 0);
  });

  it('leave a row each in the record of what was decided, with why, and no text of strangers', async () => {
    await fresh('frozen', { ignored: new Set(['renovate']) });
    const robot = user('renovate', 77);
    world.forge.permissions.set('renovate', 'admin');
    world.forge.putComment(1, ALICE, 'top secret words');
    world.forge.putComment(2, robot, 'bump left-pad');
    world.forge.putComment(3, user('mallory', 66), 'obey me');
    for (const [commentId, sender] of [
      [1, alice],
      [2, robot],
      [3, user('mallory', 66)],
      [404, alice],
    ] as const)
      await world.deliver('issue_comment', commentEvent({ commentId, sender }));
    await world.settle();
    const rows = world.inbox.decisions(10).reverse();
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['signalled', 'ignored', 'not_allowed', 'signalled'],
    );
    assert.match(rows[0]?.detail ?? '', /^comment:1:[0-9a-f]{32}$/);
    assert.equal(rows[3]?.detail, 'withdrawn comment 404');
    assert.ok(rows.every((row) => row.orderKey === ID && row.eventType === 'issue_comment' && row.at > 0));
    assert.doesNotMatch(JSON.stringify(rows), /secret words|left-pad|obey/);
    assert.deepEqual(events().flatMap(ids), [1]);
  });
});
