import assert from 'node:assert/strict';
import { waitUntil } from '../support/stack/stack.js';
import {
  Gate,
  idOf,
  shownOf,
  withProposingRun,
  type ProposingRun,
} from '../support/temporal/proposing-run.js';
import { timeSkipping } from '../support/temporal/skipping-server.js';

describe('a decision that is taking effect, on the time-skipping server', function () {
  this.timeout(60_000);
  const environment = timeSkipping();

  for (const [way, end] of Object.entries({
    'its issue is closed': (life: ProposingRun) => life.close(),
    'the operator destroys it': (life: ProposingRun) => life.destroy(),
  }))
    it(`does not keep a frozen run from its end when ${way}, and whoever decided hears that it ended`, () =>
      withProposingRun(environment(), { holdMs: 300 }, async (life) => {
        const built = new Gate();
        life.fake.whileBuilding = () => built.opened.then(() => ({ kind: 'built' }));
        await life.propose(idOf('cafe0001'), 'a call', 'capability-block');
        life.endTurn();
        await life.frozen();
        const refusal = life.refusalOf(life.decide(idOf('cafe0001')));
        await waitUntil('the build', () => life.fake.rebuilt.length === 1);
        try {
          await end(life);
          assert.deepEqual(await refusal, ['ChangeFailed', 'the run ended before it took effect']);
        } finally {
          built.open();
        }
        assert.deepEqual(
          life.fake.decided.map(({ decision: { status, who } }) => [status, who]),
          [['cancelled', 'bot-bottle']],
        );
      }));

  it('is of the next turn where it waited for another one until its turn was stopped, and says so', () =>
    withProposingRun(environment(), {}, async (life) => {
      const taken = new Gate();
      life.fake.whileApplying = () => taken.opened;
      const [first, second] = [idOf('aaaa0001'), idOf('aaaa0002')];
      for (const id of [first, second]) await life.proposed(id);
      const effects = [life.decide(first)];
      await waitUntil('the first in the bottle', () => life.fake.applied.length === 1);
      effects.push(life.decide(second));
      await life.until('both decided', ({ proposals }) => proposals === 0);
      await life.order({ kind: 'freeze' });
      taken.open();
      const answers = await Promise.all(effects);
      assert.deepEqual(
        answers.map(({ effect }) => effect),
        ['now', 'next_turn'],
      );
      assert.deepEqual(
        life.fake.applied.map(({ changes }) => changes),
        [[shownOf(first)]],
      );
    }));
});
