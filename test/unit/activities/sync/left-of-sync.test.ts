import assert from 'node:assert/strict';
import { settleSync, type SettledSync } from '../../../../src/activities/sync/settle-sync.js';
import { BottleRuntimeError, InvalidInputError } from '../../../../src/domain/base/errors.js';
import { failed, report } from '../../../support/host/host-world.js';
import { turnResult } from '../../../support/machine/world.js';
import { useSyncWorld } from '../../../support/sync/sync-world.js';
import { withoutPauses } from '../../../support/scale/no-pauses.js';

describe('a sync of which something cannot be cleared away', () => {
  withoutPauses();
  const world = useSyncWorld();
  const settle = async (signal: AbortSignal): Promise<SettledSync> =>
    settleSync(world.ports, { run: await world.run(), result: turnResult(), failure: null }, signal);

  const LEFT = 'something of a sync could not be put in order';
  for (const [what, arrange, warned = LEFT] of [
    [
      'the engine is away by then',
      () => {
        world.host.answers = ({ name }) => {
          if (name === 'remove') throw new BottleRuntimeError('away', true, { away: true });
          return report({ bundle: 'commits' });
        };
      },
    ],
    [
      'something cannot be deleted',
      () => {
        world.host.answers = ({ name }) =>
          name === 'remove' ? failed(1, 'Permission denied') : report({ bundle: 'commits' });
      },
      'what its agent wrote could not be removed: the run ends, the sweeper tries again',
    ],
    [
      'its run directory is gone',
      () => {
        const gone = new InvalidInputError('no run directory');
        Object.assign(world.ports.directories, { describe: () => Promise.reject(gone) });
      },
    ],
  ] as const)
    it(`has its pull request though ${what}, and the sweeper has the rest`, async () => {
      arrange();
      const { outcome, settled } = await settle(new AbortController().signal);
      assert.deepEqual([outcome.status, outcome.pr], ['verified', 31]);
      assert.equal(settled.publish.kind, 'published');
      assert.deepEqual(world.host.warned, [warned]);
    });

  it('is not over when that was cancelled', async () => {
    const abort = new AbortController();
    world.host.answers = ({ name }) => {
      if (name !== 'remove') return report({ bundle: 'commits' });
      abort.abort(new Error('cancelled'));
      throw new BottleRuntimeError('away', true, { away: true });
    };
    await assert.rejects(settle(abort.signal), /cancelled/);
  });
});
