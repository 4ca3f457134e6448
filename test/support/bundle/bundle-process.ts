import { spawn, type ChildProcess } from 'node:child_process';
import type { RunDirectory } from './run-directory.js';
import { until } from './until.js';

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
