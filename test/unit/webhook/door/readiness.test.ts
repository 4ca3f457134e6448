import assert from 'node:assert/strict';
import { createReadiness } from '../../../../src/webhook/door/readiness.js';

describe('whether the webhook is ready', () => {
  let now: number;
  let probes: number;
  let isFull: boolean;
  let temporal: () => boolean | Promise<boolean>;

  beforeEach(() => {
    [now, probes, isFull] = [10_000, 0, false];
    temporal = () => true;
  });

  const readiness = (): ReturnType<typeof createReadiness> =>
    createReadiness({
      now: () => now,
      temporalReachable: () => temporal(),
      inbox: {
        probe: () => {
          probes += 1;
          if (isFull) throw new Error('SQLITE_FULL');
        },
      },
    });

  it('is asked of inbox and Temporal', async () => {
    assert.deepEqual(await readiness()(), { status: 'ready', inbox: 'writable', temporal: 'reachable' });
  });

  it('does not need Temporal, whether it is away or cannot be asked', async () => {
    const away: (typeof temporal)[] = [
      () => false,
      () => Promise.reject(new Error('no answer')),
      () => {
        throw new Error('no address');
      },
    ];
    for (temporal of away)
      assert.deepEqual(await readiness()(), { status: 'ready', inbox: 'writable', temporal: 'unreachable' });
  });

  it('needs an inbox that can be written to', async () => {
    isFull = true;
    const { reason, ...state } = await readiness()();
    assert.deepEqual(state, { status: 'not_ready', inbox: 'not_writable', temporal: 'reachable' });
    assert.match(reason ?? '', /free disk space/);
  });

  it('is looked at once a second at most, and again when the clock was put back', async () => {
    const ask = readiness();
    await Promise.all([ask(), ask()]);
    now += 999;
    await ask();
    assert.equal(probes, 1);
    now += 1;
    await ask();
    assert.equal(probes, 2);
    now -= 1;
    await ask();
    assert.equal(probes, 3);
  });
});
