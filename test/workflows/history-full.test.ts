import assert from 'node:assert/strict';
import { DONE, withLife } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { untilCalledOff } from '../support/temporal/scripted-activities.js';

/** On the real server. The numbers are the test's. */
describe('issueWorkflow whose history grows too long in one turn', function () {
  this.timeout(90_000);
  const server = localServer('limit.historyCount.suggestContinueAsNew=40');
  const stopped = (): Promise<{ readonly exitCode: number }> =>
    untilCalledOff().catch(() => ({ exitCode: 143 }));

  for (const [what, policy] of [
    ['signals', { maxSignals: 40 }],
    ['events', { maxEvents: 80 }],
  ] as const)
    it(`stops the turn with reason \`history\` for too many ${what}, and goes on in a new execution`, () =>
      withLife(
        server(),
        { policy, turn: (_life, { turn }) => (turn > 1 ? DONE : stopped()) },
        async (life) => {
          await life.running();
          const runId = await life.runId();
          // Of another run: taken in, and nothing comes of it.
          const noise = { slug: 'another', turn: 1 };
          for (let sent = 0; sent < 10; sent += 1) await life.began(noise);
          assert.equal((await life.view()).phase, 'running');
          for (let sent = 0; sent < 40; sent += 1) await life.began(noise);
          assert.equal((await life.frozen()).reason, 'history');
          await life.continuedAsNew(runId);

          await life.comments(1);
          await life.until('the second turn', ({ reason }) => reason === 'done');
          assert.equal(life.fake.ran.length, 2);
        },
      ));

  it('stops the turn for too many bytes, too: with 50 MB the server ends the run', () =>
    withLife(server(), { turn: stopped }, async (life) => {
      await life.running();
      const garbage = 'x'.repeat(1_900_000);
      // Each has been taken before the next one: the server buffers only so many bytes beside a task.
      for (let sent = 0; sent < 17; sent += 1) {
        await life.handle.signal('pr_comment', garbage);
        await life.view();
      }
      assert.equal((await life.frozen()).reason, 'history');
    }));

  it('stops the turn of an agent that makes calls without end: the server takes only so many Updates', () =>
    withLife(
      server(),
      { policy: { maxSignals: 40 }, turn: (_life, { turn }) => (turn > 1 ? DONE : stopped()) },
      async (life) => {
        await life.running();
        const { slug } = await life.view();
        assert.ok(slug !== null);
        for (let sent = 0; sent < 4; sent += 1) await life.openPr({ slug, turn: 1 }, `call ${String(sent)}`);
        assert.equal((await life.view()).phase, 'running');
        for (let sent = 4; sent < 8; sent += 1) await life.openPr({ slug, turn: 1 }, `call ${String(sent)}`);
        assert.equal((await life.frozen()).reason, 'history');
      },
    ));

  it('tells a comment that waits in a turn of the next execution, once', () =>
    withLife(
      server(),
      { policy: { maxSignals: 40 }, turn: (_life, { turn }) => (turn > 1 ? DONE : stopped()) },
      async (life) => {
        await life.running();
        const runId = await life.runId();
        await life.comments(1);
        for (let sent = 0; sent < 50; sent += 1) await life.began({ slug: 'another', turn: 1 });
        await life.continuedAsNew(runId);
        await life.until('the second turn', ({ reason }) => reason === 'done');
        assert.deepEqual(
          life.fake.prepared.map(({ turn, references }) => [turn, references.map(({ id }) => id)]),
          [
            [1, []],
            [2, [1]],
          ],
        );
        assert.equal(life.fake.ran.length, 2);
      },
    ));

  it('tells a comment once more in the next execution, when its agent started as it was stopped', () =>
    withLife(
      server(),
      {
        policy: { maxSignals: 40 },
        begins: () => false,
        turn: async (life, input) => {
          if (input.turn !== 2) return DONE;
          const end = await stopped();
          await life.began(input);
          return end;
        },
      },
      async (life) => {
        await life.frozen();
        const runId = await life.runId();
        await life.comments(1);
        await life.until('the second turn', ({ turn, phase }) => turn === 2 && phase === 'rehydrating');
        for (let sent = 0; sent < 50; sent += 1) await life.began({ slug: 'another', turn: 1 });
        await life.continuedAsNew(runId);
        await life.until('the third turn', ({ reason, turn }) => reason === 'done' && turn === 3);
        assert.deepEqual(
          life.fake.prepared.map(({ references }) => references.map(({ id, again }) => [id, again])),
          [[], [[1, undefined]], [[1, true]]],
        );
      },
    ));
});
