import assert from 'node:assert/strict';
import { running } from '../../../support/machine/stages.js';
import { POLICY, World } from '../../../support/machine/world.js';

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
    const run = world.owed.get('run');
    assert.ok(run?.kind === 'run_turn');
    assert.equal(run.input.turnTimeoutMs, 5);
  });
});
