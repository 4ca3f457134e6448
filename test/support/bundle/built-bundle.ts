import { after } from 'mocha';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../entries/entry-process.js';

let built: string | undefined;

/** What `npm run build:bundle` makes, once for all suites of a mocha process and removed when the last one is through. */
export function builtBundle(): string {
  built ??= mkdtempSync(join(tmpdir(), 'bundle-build-'));
  const file = join(built, 'bundle.mjs');
  if (existsSync(file)) return file;
  // The script's own options; a later --outdir wins.
  const made = spawnSync('npm', ['run', '--silent', 'build:bundle', '--', `--outdir=${built}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`build:bundle failed: ${made.stderr}`);
  return file;
}

after(function removeBuiltBundle() {
  if (built !== undefined) rmSync(built, { recursive: true, force: true });
});
