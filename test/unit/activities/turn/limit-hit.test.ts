import assert from 'node:assert/strict';
import { limitHit } from '../../../../src/activities/turn/limit-hit.js';
import type { ContainerState } from '../../../../src/domain/bottle/bottle-runtime.js';

describe('the limit that a turn ran into', () => {
  const state = (oomKilled: boolean): ContainerState => ({ oomKilled }) as ContainerState;
  const limits = { memoryBytes: 512 * 1024 * 1024, cpus: 1, pids: 1 };

  it('is the disk, with what was seen, before anything else', () => {
    assert.deepEqual(limitHit('disk', '9 GiB', state(true), limits), { kind: 'disk', detail: '9 GiB' });
    assert.deepEqual(limitHit('disk', null, undefined, limits), { kind: 'disk', detail: 'too much disk' });
  });

  it('is its memory where the kernel killed a process, whether or not the turn ended by that', () => {
    for (const stopped of [null, 'timeout'] as const) {
      const hit = limitHit(stopped, null, state(true), limits);
      assert.equal(hit?.kind, 'memory');
      assert.match(hit.detail, /512 MiB/);
    }
  });

  it('is none otherwise', () => {
    assert.equal(limitHit('timeout', 'x', state(false), limits), null);
    assert.equal(limitHit(null, null, undefined, limits), null);
  });
});
