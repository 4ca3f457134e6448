import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { agentRuns, startedAt } from '../../../../src/activities/turn/ask-agent.js';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import type { ContainerState } from '../../../../src/domain/bottle/bottle-runtime.js';

const NOW = 1_000_000;
let asked = 0;
function worldOf(
  inspect: () => Promise<Partial<ContainerState> | undefined>,
): Pick<HostPorts, 'runtime' | 'clock'> {
  asked = 0;
  const runtime = {
    inspect: () => {
      asked += 1;
      return inspect();
    },
  };
  return { runtime, clock: { now: () => NOW } } as unknown as Pick<HostPorts, 'runtime' | 'clock'>;
}
const signal = new AbortController().signal;

describe('when a turn’s agent was started', () => {
  it('is what the engine says', async () => {
    const world = worldOf(() => Promise.resolve({ startedAt: '1970-01-01T00:00:05Z' }));
    assert.equal(await startedAt(world, 's', signal), 5_000);
  });

  it('is now where there is no container', async () => {
    assert.equal(
      await startedAt(
        worldOf(() => Promise.resolve(undefined)),
        's',
        signal,
      ),
      NOW,
    );
  });

  it('is asked for until an engine that is away answers: the turn has no second limit', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const world = worldOf(() =>
        asked < 3
          ? Promise.reject(new Error('away'))
          : Promise.resolve({ startedAt: '1970-01-01T00:00:05Z' }),
      );
      const started = startedAt(world, 's', signal);
      for (let n = 0; n < 4; n++) {
        await new Promise((resolve) => setImmediate(resolve));
        mock.timers.tick(1_000);
      }
      assert.equal(await started, 5_000);
    } finally {
      mock.timers.reset();
    }
  });

  it('is of no interest once the turn is over', async () => {
    const over = new AbortController();
    const world = worldOf(() => {
      over.abort();
      return Promise.reject(new Error('away'));
    });
    assert.equal(await startedAt(world, 's', over.signal), NOW);
    assert.equal(asked, 1);
  });
});

describe('whether a turn’s agent runs', () => {
  it('is what the engine says, and one that is paused has not ended', async () => {
    const seen: boolean[] = [];
    for (const status of ['running', 'paused', 'exited', 'dead'] as const)
      seen.push(
        await agentRuns(
          worldOf(() => Promise.resolve({ status })),
          's',
          signal,
        ),
      );
    assert.deepEqual(seen, [true, true, false, false]);
  });

  it('is no where there is no container', async () => {
    const world = worldOf(() => Promise.resolve(undefined));
    assert.equal(await agentRuns(world, 's', signal), false);
  });

  it('is no once the turn is over, whatever the engine says then', async () => {
    const over = new AbortController();
    const world = worldOf(() => {
      over.abort();
      return Promise.resolve({ status: 'running' });
    });
    assert.equal(await agentRuns(world, 's', over.signal), false);
  });
});
