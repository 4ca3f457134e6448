import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../../support/entries/entry-process.js';

describe('a command whose output nobody reads', () => {
  for (const [args, code] of [
    ['--help', 0],
    ['version', 0],
    ['signal --json', 2],
  ] as const)
    it(`ends as it would: ${args}`, async () => {
      const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', ...args.split(' ')], {
        cwd: ROOT,
      });
      child.stdout.destroy();
      let errors = '';
      child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
      await once(child, 'close');
      assert.equal(child.exitCode, code, errors);
      assert.doesNotMatch(errors, /EPIPE/);
    });
});
