import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { collectDeadBuffers } from '../../../../src/bundle/egress/dead-buffers.js';

const MIB = 1024 * 1024;

describe('dead buffers of network traffic', () => {
  const collected: unknown[] = [];
  const collect = ((options?: unknown) => {
    collected.push(options);
  }) as unknown as NonNullable<typeof globalThis.gc>;
  beforeEach(() => {
    collected.length = 0;
  });

  it('are collected for every 2 MiB that were moved, and wholly when nothing moves any more', async () => {
    const moved = collectDeadBuffers(collect);
    for (let bytes = 0; bytes < 5 * MIB; bytes += MIB / 2) moved(MIB / 2);
    assert.deepEqual(collected, [{ type: 'minor' }, { type: 'minor' }]);
    await setTimeout(700);
    assert.deepEqual(collected.slice(2), [{ type: 'major', execution: 'sync', flavor: 'last-resort' }]);
  });

  it('of little traffic are left to V8', async () => {
    collectDeadBuffers(collect)(MIB);
    await setTimeout(700);
    assert.deepEqual(collected, []);
  });

  it('are left to V8 where it cannot be asked', () => {
    collectDeadBuffers(undefined)(10 * MIB);
    assert.deepEqual(collected, []);
  });
});
