import assert from 'node:assert/strict';
import { runProcess, type ProcessEnd } from '../../../../src/adapters/system/run-process.js';

describe('a process of ours', () => {
  const run = (script: string, timeoutMs: number): Promise<ProcessEnd> =>
    runProcess({
      ...{ program: '/bin/sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' }, timeoutMs },
      maxOutput: 1024,
    });

  it('hands over what it wrote', async () => {
    const { exitCode, stdout, fault } = await run('echo out', 30_000);
    assert.deepEqual({ exitCode, stdout, fault }, { exitCode: 0, stdout: 'out\n', fault: null });
  });

  it('that is stopped has no output: nobody reads it, and it may not fit into one text', async () => {
    const { stdout, fault } = await run('echo out; exec sleep 60', 500);
    assert.deepEqual({ stdout, fault }, { stdout: '', fault: { kind: 'late' } });
  });
});
