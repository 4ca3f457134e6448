import assert from 'node:assert/strict';
import { measureUsage } from '../../../../src/activities/turn/measure-usage.js';
import type { OneShotResult, OneShotSpec } from '../../../../src/domain/bottle/bottle-runtime.js';

const SLUG = 'coder-alice-demo-12-abc12';

describe('what a run holds on the disk', () => {
  const asked: OneShotSpec[] = [];
  const measure = (result: Partial<OneShotResult>) =>
    measureUsage(
      {
        runOnce: (spec) => {
          asked.push(spec);
          return Promise.resolve({ exitCode: 0, stdout: new Uint8Array(), stderr: '', ...result });
        },
      },
      { slug: SLUG, image: 'bundle', workspaceDir: '/w' },
      new AbortController().signal,
    );

  it('is counted in a container that only reads', async () => {
    const stdout = Buffer.from('10\t/tree/workspace\n10\ttotal\n3\t/tree/workspace\n3\ttotal\n');
    assert.deepEqual(await measure({ stdout }), { bytes: 10, inodes: 3 });
    assert.ok(
      asked.every(({ user, mounts }) => user === 'reader' && mounts.every(({ readOnly }) => readOnly)),
    );
  });

  it('is unknown when it is too much to count, and a fault when the count failed', async () => {
    for (const exitCode of [124, 137]) assert.equal(await measure({ exitCode }), null);
    await assert.rejects(measure({ exitCode: 1, stderr: 'x'.repeat(500) }), {
      ...{ name: 'BottleRuntimeError', retryable: true, message: `du ended with 1: ${'x'.repeat(200)}` },
    });
  });
});
