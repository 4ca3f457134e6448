import assert from 'node:assert/strict';
import type { ObservedPr } from '../../../../src/domain/run/events.js';
import { after, running, settling, silent } from '../../../support/machine/stages.js';
import { done, kinds, observed, POLICY, World } from '../../../support/machine/world.js';

const published = (pr: number, head: string) =>
  ({ kind: 'published', pr, prUrl: 'u', head, created: true }) as const;

describe('what an agent publishes while it runs', () => {
  it('is its pull request from then on, with a line that says so', () => {
    const world = running();
    world.feed({ kind: 'published', requestId: 'r', result: published(13, 'h1') });
    assert.deepEqual(world.life.prs, [{ number: 13, open: true, readAt: 0 }]);
    assert.equal(world.life.work.pushed, 'h1');
    assert.equal(world.life.timeline.at(-1)?.what, 'published as PR #13');
  });

  it('is answered once for each request: the second time changes nothing', () => {
    const world = running();
    world.feed({ kind: 'published', requestId: 'r', result: published(13, 'h1') });
    const before = world.life;
    world.feed({ kind: 'published', requestId: 'r', result: published(14, 'h2') });
    assert.deepEqual(world.life, before);
    world.feed({ kind: 'published', requestId: 'q', result: published(13, 'h2') });
    assert.deepEqual(
      world.life.answers.map(({ requestId }) => requestId),
      ['r', 'q'],
    );
    assert.equal(world.life.prs.length, 1);
  });

  it('is a second pull request beside the first', () => {
    const world = running();
    for (const pr of [13, 14])
      world.feed({ kind: 'published', requestId: String(pr), result: published(pr, 'h') });
    assert.deepEqual(
      world.life.prs.map(({ number }) => number),
      [13, 14],
    );
  });

  it('is no pull request when the gate refused it, or pushed alone', () => {
    const world = running();
    world.feed({ kind: 'published', requestId: 'r', result: { kind: 'refused', reason: 'a CI file' } });
    assert.deepEqual([world.life.prs, world.life.work.pushed], [[], null]);
    world.feed({ kind: 'published', requestId: 'q', result: { kind: 'pushed', head: 'h1' } });
    assert.deepEqual([world.life.prs, world.life.work.pushed], [[], 'h1']);
  });

  it('is remembered for the latest fifty requests', () => {
    const world = running();
    for (let n = 1; n <= 51; n += 1)
      world.feed({ kind: 'published', requestId: String(n), result: published(13, 'h') });
    const known = world.life.answers.map(({ requestId }) => requestId);
    assert.deepEqual([known.length, known[0], known.at(-1)], [50, '2', '51']);
  });
});

describe('a pull request that is seen closed before the word that it was opened', () => {
  const CLOSED = { number: 13, open: false, merged: false, closedAt: 9_000 };
  const seen = (world: World, ...prs: readonly ObservedPr[]): World =>
    after(world, observed({ readAt: 10_000, prs }));
  const open = (world: World): string[] =>
    kinds(world.feed({ kind: 'published', requestId: 'r', result: published(13, 'h1') }));

  it('ends the run as soon as that is heard of, whoever opened it', () => {
    const byAgent = seen(running(), CLOSED);
    assert.equal(byAgent.phase, 'running', 'it may be another’s');
    assert.deepEqual(open(byAgent), ['disarm_watchdog', 'stop_turn', 'end_step']);
    assert.deepEqual(byAgent.life.closing, { at: 9_000, why: 'PR #13 closed' });
    byAgent.endTurn({ exitCode: 143 });
    assert.equal(byAgent.phase, 'destroying');
    const byTurn = seen(settling(), { ...CLOSED, merged: true });
    assert.deepEqual(kinds(byTurn.settle({ publish: published(13, 'h') })), [
      'end_step',
      'record_turn',
      'destroy',
    ]);
    assert.equal(byTurn.life.closing?.why, 'PR #13 merged');
    assert.deepEqual(byTurn.life.prs, [{ number: 13, open: false, readAt: 10_000 }]);
  });

  it('does not where it was closed before the run was asked for, or was opened again', () => {
    for (const world of [
      seen(running(), { ...CLOSED, closedAt: 4 }),
      after(
        seen(running(), CLOSED),
        observed({ readAt: 11_000, prs: [{ ...CLOSED, open: true, closedAt: null }] }),
      ),
    ]) {
      open(world);
      assert.deepEqual([world.phase, world.life.prs.map((pr) => pr.open)], ['running', [true]]);
    }
  });

  it('does not while another one of the run is open', () => {
    const other = { ...CLOSED, number: 14, open: true, closedAt: null };
    const world = seen(running(), CLOSED, other);
    assert.deepEqual(open(world), []);
    const last = observed({ readAt: 20_000, prs: [{ ...other, open: false, closedAt: 19_000 }] });
    assert.deepEqual(kinds(world.feed(last)), ['disarm_watchdog', 'stop_turn', 'end_step']);
  });

  it('is remembered among the latest few', () => {
    const numbered = (number: number): ObservedPr => ({ ...CLOSED, number });
    const world = seen(running(), ...[13, 20, 21, 22, 23, 13].map(numbered));
    assert.deepEqual(
      world.life.closedPrs?.map(({ number }) => number),
      [20, 21, 22, 23, 13],
    );
    seen(world, numbered(24));
    assert.deepEqual(
      world.life.closedPrs.map(({ number }) => number),
      [21, 22, 23, 13, 24],
    );
  });
});

describe('the row of a turn whose agent published something', () => {
  const open = (world: World, requestId: string, pr: number, head: string): void => {
    world.feed({ kind: 'published', requestId, result: published(pr, head) });
  };
  const worksOf = (world: World): unknown => world.turnRows.at(-1)?.published;

  it('has it though the pull request is merged before the turn ends, and names that', () => {
    const world = running();
    open(world, 'r', 13, 'h1');
    world.feed(observed({ readAt: 20, prs: [{ number: 13, open: false, merged: true, closedAt: 19 }] }));
    world.finish({ exitCode: 143 });
    world.settle();
    assert.deepEqual(worksOf(world), [{ head: 'h1', pr: 13 }]);
    assert.equal(world.turnRows[0]?.snapshot.prNumber, 13);
  });

  it('has it though the end of the turn is refused, or nobody can collect what it left', () => {
    const refused = running();
    open(refused, 'r', 13, 'h1');
    refused.endTurn({ done }, { publish: { kind: 'refused', reason: 'a CI file' } });
    assert.deepEqual(worksOf(refused), [{ head: 'h1', pr: 13 }]);
    const failed = running();
    open(failed, 'r', 13, 'h1');
    failed.finish({ done });
    failed.fail('settle');
    assert.deepEqual(worksOf(failed), [{ head: 'h1', pr: 13 }]);
  });

  it('has each once, in order, and the row of the next turn has none of them', () => {
    const world = running();
    open(world, 'r1', 13, 'h1');
    open(world, 'r2', 13, 'h2');
    open(world, 'r3', 13, 'h1');
    world.endTurn({ done });
    const [first] = world.turnRows;
    assert.deepEqual(first?.published, [
      { head: 'h1', pr: 13 },
      { head: 'h2', pr: 13 },
    ]);
    world.command({ kind: 'resume', promptRef: null });
    world.start();
    world.endTurn({ done });
    const [, second] = world.turnRows;
    assert.ok(second !== undefined && !('published' in second));
  });

  it('is there though the turn’s host was left, and the next one has none of it', () => {
    const world = running();
    open(world, 'r', 13, 'h1');
    world.feed(silent(1));
    world.command({ kind: 'move' });
    assert.deepEqual(worksOf(world), [{ head: 'h1', pr: 13 }]);
    world.claimed('h2', 0);
    world.start();
    world.endTurn({ done });
    assert.equal(worksOf(world), undefined);
  });
});

describe('the timeline of a run', () => {
  it('has its latest two hundred lines, each with its time and turn', () => {
    const world = World.triggered();
    for (let n = 1; n <= 250; n += 1) {
      world.now += 1;
      world.feed({ kind: 'unread', why: `line ${String(n)}` });
    }
    const { timeline } = world.life;
    assert.deepEqual([timeline.length, timeline[0]?.what], [200, 'line 51']);
    assert.deepEqual(timeline.at(-1), { at: world.now, turn: 1, what: 'line 250' });
  });

  it('begins with who asked for the run', () => {
    assert.equal(World.triggered().life.timeline[0]?.what, 'triggered by alice');
    assert.equal(World.local().life.timeline[0]?.what, 'triggered by the operator');
  });
});

describe('the operator’s settings', () => {
  it('are those of the next turn, whatever the run began with', () => {
    const world = World.triggered();
    world.feed({ kind: 'settings', policy: { ...POLICY, turnTimeoutMs: 5 } });
    world.start();
    assert.equal(world.atWork.turnTimeoutMs, 5);
  });
});
