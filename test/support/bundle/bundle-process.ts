import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunDirectory } from './run-directory.js';
import { until } from './until.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** What `npm run build:bundle` makes, in a place of the test's own. Remove it with `removeBuiltBundle`. */
export function buildBundle(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bundle-build-'));
  // The script's own options; a later --outdir wins.
  const built = spawnSync('npm', ['run', '--silent', 'build:bundle', '--', `--outdir=${directory}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`build:bundle failed: ${built.stderr}`);
  return join(directory, 'bundle.mjs');
}

export function removeBuiltBundle(file: string): void {
  rmSync(join(file, '..'), { recursive: true, force: true });
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly afterMs: number;
}

export class BundleProcess {
  stderr = '';
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #stopAskedAt = 0;

  constructor(file: string, run: RunDirectory, env: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [file], {
      env: {
        PATH: process.env['PATH'],
        BUNDLE_RUN_DIR: run.root,
        BOTTLE_SLUG: 'dev-alice-demo-1-abcde',
        FORGE_GITEA_API: 'http://127.0.0.1:9/api/v1',
        FORGE_OWNER: 'alice',
        FORGE_REPO: 'demo',
        FORGE_ISSUE_NUMBER: '1',
        FORGE_PR_NUMBER: '',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk));
    this.exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        resolve({ code, signal, afterMs: performance.now() - this.#stopAskedAt });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async serving(): Promise<void> {
    await until(`the bundle serving, it said: ${this.stderr}`, () =>
      this.stderr.includes('"serving"') ? true : undefined,
    );
  }

  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.#stopAskedAt = performance.now();
    this.#child.kill(signal);
    return this.exited;
  }
}
