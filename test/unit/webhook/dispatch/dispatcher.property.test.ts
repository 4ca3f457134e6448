import { mkdirSync } from 'node:fs';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import { dispatchWorld } from '../../../support/webhook/dispatch-world.js';
import { ALICE, BOT } from '../../../support/webhook/fake-forge.js';
import { commentEvent, issueEvent } from '../../../support/webhook/payloads.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

const ID = (number: number): string => `gitea:alice/demo#${String(number)}`;

describe('the dispatcher', () => {
  const newPath = useNewPaths();
  const directory = (): string => {
    const name = newPath();
    mkdirSync(name);
    return name;
  };

  it('delivers any mix of events under any faults: nothing lost, each subject in order', async () => {
    const step = fc.record({
      number: fc.integer({ min: 1, max: 3 }),
      kind: fc.constantFrom('comment', 'label'),
      repeat: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 10 }),
        fc.array(fc.boolean(), { maxLength: 40, size: 'max' }),
        async (steps, faults) => {
          const own = await dispatchWorld(directory());
          const flaky = (): void => {
            if (faults.shift() === true) throw new ForgeHttpError(503, 'GET', '/', 'flaky');
          };
          own.forge.fault = flaky;
          own.gateway.fault = flaky;
          for (const number of [1, 2, 3]) {
            own.forge.trigger(number, 1_700_000_000_000);
            own.forge.putIssue(number, { assignees: [BOT] });
            own.gateway.running.add(ID(number));
          }
          const wanted = new Map<number, number[]>();
          for (const [index, { number, kind, repeat }] of steps.entries()) {
            const id = index + 1;
            own.forge.putComment(id, ALICE, 'x');
            const payload =
              kind === 'comment'
                ? commentEvent({ number, commentId: id })
                : issueEvent({ number, salt: String(id) });
            if (kind === 'comment') wanted.set(number, [...(wanted.get(number) ?? []), id]);
            for (let times = repeat ? 2 : 1; times > 0; times -= 1) {
              await own.deliver(kind === 'comment' ? 'issue_comment' : 'issue_label', payload);
            }
          }
          await own.settle();
          for (const number of [1, 2, 3]) {
            const events = own.gateway.sent.filter(({ id }) => id === ID(number)).map(({ event }) => event);
            const ids = events.flatMap((event) =>
              event.kind === 'references' ? event.references.map((one) => one.id) : [],
            );
            assert.deepEqual(ids, wanted.get(number) ?? []);
            const reads = events.flatMap((event) => (event.kind === 'observed' ? [event.readAt] : []));
            assert.deepEqual(
              reads,
              [...reads].sort((a, b) => a - b),
            );
            const labelled = steps.some((one) => one.number === number && one.kind === 'label');
            assert.equal(reads.length > 0, labelled);
          }
          assert.equal(own.inbox.stats().open, 0);
          await own.close();
        },
      ),
      { numRuns: 25 },
    );
  }).timeout(60_000);
});
