import assert from 'node:assert/strict';
import type { TurnResult } from '../../src/domain/run/turn.js';
import { done, modelReport } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { DONE, withLife } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';

/** So few that every turn goes beyond them; 4,096 where nobody says otherwise. */
const SUGGESTED_AT = 20;

describe('issueWorkflow whose history the server finds long enough', function () {
  this.timeout(60_000);
  const server = localServer(`limit.historyCount.suggestContinueAsNew=${String(SUGGESTED_AT)}`);

  it('goes on in a new execution between turns: same run, same session, nothing taken in twice', () =>
    withLife(server(), {}, async (life) => {
      const { fake, client, handle } = life;
      const second = await life.continuedAsNew(life.firstRunId);
      const first = client.workflow.getHandle(handle.workflowId, life.firstRunId);
      assert.equal((await first.describe()).status.name, 'CONTINUED_AS_NEW');
      const frozen = await life.view();
      assert.deepEqual([frozen.phase, frozen.reason, frozen.turn], ['frozen', 'done', 1]);
      // Temporal's page shows no summary of this one.
      const metadata = await handle.query<{ readonly currentDetails: string }>(
        '__temporal_workflow_metadata',
      );
      const [title] = metadata.currentDetails.split('\n');
      assert.equal(title, `alice/demo#${String(life.subject.number)} A life http://forge.invalid/1`);

      for (let time = 0; time < 2; time += 1) await life.comments(1);
      await life.continuedAsNew(second);
      // What was taken in before the cut is known after it.
      await life.comments(1);
      const view = await life.view();
      assert.deepEqual([view.phase, view.turn, view.slug], ['frozen', 2, frozen.slug]);
      assert.deepEqual(
        fake.ran.map(({ slug, sessionId }) => [slug, sessionId]),
        [
          [frozen.slug, null],
          [frozen.slug, 's'],
        ],
      );
      assert.deepEqual(
        fake.prepared.map(({ references }) => references.length),
        [0, 1],
      );
    }));

  it('tells the people on the forge first why it froze, which holds nothing up', () => {
    const given = { tellFailure: new Error('the forge is away') };
    const turn = (): Partial<TurnResult> => ({ done: { ...done, status: 'failed' } });
    return withLife(server(), { turn, given }, async (life) => {
      const { fake } = life;
      await waitUntil('the first try', () => fake.told.length === 1, 30_000);
      await life.comments(1);
      await life.frozen(2);
      assert.equal(await life.runId(), life.firstRunId);
      fake.tellFailure = null;
      await life.continuedAsNew(life.firstRunId);
      const { slug } = await life.frozen(2);
      // The second try of the first turn's, and the second turn's.
      assert.deepEqual(new Set(fake.told), new Set([slug]));
      assert.ok(fake.told.length >= 3, `told ${String(fake.told.length)} times`);
    });
  });

  it('goes on sleeping in the new execution, to the same time', () => {
    const until = Date.now() + 8_000;
    const limited = { exitCode: 1, model: modelReport(1, 0, { kind: 'limited', until }) };
    return withLife(server(), { turn: (_life, { turn }) => (turn === 1 ? limited : DONE) }, async (life) => {
      const { fake } = life;
      await life.continuedAsNew(life.firstRunId);
      assert.equal((await life.view()).resumeAt, until);
      assert.equal(fake.ran.length, 1);
      await waitUntil('the second turn', () => fake.ran.length === 2, 30_000);
      assert.ok(Date.now() >= until);
    });
  });
});
