import assert from 'node:assert/strict';
import { prepareTurn } from '../../../../src/activities/prepare/prepare-turn.js';
import { agentsFrom } from '../../../support/manifests/agents.js';
import { sampleAgent } from '../../../support/manifests/samples.js';
import { ACT_AT, SLUG, usePreparing } from '../../../support/prepare/preparing.js';

describe('preparing a turn', () => {
  const world = usePreparing();
  const { input } = world;

  describe('the day’s budget', () => {
    async function used(turn: number, microUsd: number): Promise<void> {
      const detail = { model: { use: { inputTokens: 10, microUsd } } };
      const at = world.ports.clock.now();
      await world.database.runs.appendTurn({
        slug: `other-${String(turn)}`,
        turn,
        event: 'ended',
        at,
        detail,
      });
    }

    it('holds a turn up that comes after it is used up, until the day ends, with the run’s row written', async () => {
      await used(1, 5_000_000);
      const outcome = await prepareTurn(world.ports, input());
      assert.ok(outcome.kind === 'over_budget');
      assert.match(outcome.reason, /5\.00 of 5\.00 USD/);
      assert.equal(new Date(outcome.until).toISOString(), '2023-11-15T00:00:00.000Z');
      assert.equal((await world.database.forgeState.all())[0]?.slug, SLUG);
      assert.ok((await prepareTurn(world.ports, input({ dayIsLifted: true }))).kind === 'ready');
    });

    it('is a turn’s limit as long as some of it is left, but not where the operator has lifted it', async () => {
      const agent = (name: string) => Promise.resolve(sampleAgent(name, { providers: ['claude'] }));
      world.ports = { ...world.ports, agents: agentsFrom({ agent }) };
      await used(1, 1_000_000);
      assert.deepEqual((await world.ready()).budget, { tokens: 990, microUsd: 4_000_000 });
      assert.equal((await world.ready({ dayIsLifted: true })).budget, undefined);
    });

    it('is of all runs’ turns of today, and of no other day', async () => {
      await used(1, 0);
      await used(2, 0);
      assert.equal((await prepareTurn(world.ports, input())).kind, 'ready');
      await used(3, 0);
      assert.equal((await prepareTurn(world.ports, input())).kind, 'over_budget');
      world.ports = { ...world.ports, clock: { now: () => ACT_AT + 24 * 3_600_000 } };
      assert.equal((await prepareTurn(world.ports, input())).kind, 'ready');
    });
  });

  describe('a pause of new turns', () => {
    const who = 'alice@desk';

    it('holds the turn back with its row written, says by whom and what ends it, and does so until it is gone', async () => {
      await world.database.pauses.add({ scope: '*', since: ACT_AT, who });
      const outcome = await prepareTurn(world.ports, input());
      assert.deepEqual(outcome, {
        kind: 'paused',
        reason: 'new turns are paused by alice@desk since 2023-11-14T22:13:20.000Z: bot-bottle unpause',
      });
      assert.equal((await world.database.forgeState.ofRun(SLUG))?.status, 'running');
      await world.database.pauses.remove('*');
      assert.equal((await prepareTurn(world.ports, input())).kind, 'ready');
    });

    it('of a repository is for that one, however it is written', async () => {
      await world.database.pauses.add({ scope: 'alice/other', since: ACT_AT, who });
      assert.equal((await prepareTurn(world.ports, input())).kind, 'ready');
      await world.database.pauses.add({ scope: 'alice/demo', since: ACT_AT, who });
      const subject = { forge: 'gitea', owner: 'Alice', repo: 'Demo', number: 12 } as const;
      const outcome = await prepareTurn(world.ports, input({ subject, turn: 2 }));
      assert.ok(outcome.kind === 'paused');
      assert.match(outcome.reason, /unpause --repo alice\/demo$/);
    });
  });
});
