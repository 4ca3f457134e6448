import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeTurnInputFiles } from '../../../src/adapters/files/run/turn-input.js';
import type { TurnInput } from '../../../src/domain/run/run-files.js';

const IMAGE = 'bot-bottle/agent-scripted:dev';
/** As it is in the checkout: the image may be older. */
const ENTRYPOINT = fileURLToPath(new URL('../../../images/agent/entrypoint', import.meta.url));

export interface EntrypointEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One run's directories, and the agent's container as often as a turn is started. Nothing of it is left after `remove`. */
export class EntrypointRun {
  readonly dir = mkdtempSync(join(tmpdir(), 'bb-entrypoint-'));
  readonly workspace = join(this.dir, 'workspace');
  readonly home = join(this.dir, 'home');
  readonly turn = join(this.dir, 'turn');

  constructor() {
    for (const dir of [this.workspace, this.home, this.turn]) mkdirSync(dir);
    // The agent's uid need not be the one that tests run as.
    for (const dir of [this.workspace, this.home]) chmodSync(dir, 0o777);
    chmodSync(this.dir, 0o755);
  }

  /** A workspace that is ready, for tests that need no repository. */
  makeReady(): void {
    this.inside('cd /workspace && git init -q && touch .git/bottle-ready');
  }

  /** Starts a turn whose agent is a shell script, and waits for its end. */
  async run(script: string, input: Partial<TurnInput> = {}): Promise<EntrypointEnd> {
    await writeTurnInputFiles(this.turn, {
      turn: 1,
      argv: ['/bin/bash', '-c', script],
      env: {},
      prompt: 'hello\n',
      branch: 'bot-bottle/1-abcde',
      start: '0'.repeat(40),
      gitUser: { name: 'agent', email: 'agent@example.test' },
      // In a spread: the proxies are not part of what these tests start.
      ...{ wantsSidecar: false, wantsEgress: false },
      resetTo: null,
      shallow: [],
      sparse: [],
      submodules: [],
      home: {},
      setup: null,
      files: {},
      turnJson: {},
      ...input,
    });
    const mounts = [`${ENTRYPOINT}:/usr/local/bin/bottle-entrypoint:ro`, `${this.turn}:/run/bottle/turn:ro`];
    return this.#docker(mounts, '/usr/local/bin/bottle-entrypoint');
  }

  /** A script as the agent's user, without the entrypoint. */
  inside(script: string): string {
    const end = this.#docker([], '/bin/bash', '-c', script);
    assert.equal(end.exitCode, 0, end.stderr);
    return end.stdout;
  }

  remove(): void {
    // What the agent's uid wrote, another user may not remove.
    this.inside('find /workspace /home/agent -mindepth 1 -delete');
    rmSync(this.dir, { recursive: true, force: true });
  }

  #docker(mounts: readonly string[], program: string, ...args: readonly string[]): EntrypointEnd {
    const volumes = [`${this.workspace}:/workspace`, `${this.home}:/home/agent`, ...mounts];
    const result = spawnSync(
      'docker',
      [
        ...['run', '--rm', '--init', '--network=none', '--read-only', '--cap-drop=ALL', '--user=1000:1000'],
        ...['--tmpfs=/tmp', '--env=HOME=/home/agent', `--entrypoint=${program}`],
        ...volumes.flatMap((volume) => ['--volume', volume]),
        ...[IMAGE, ...args],
      ],
      { maxBuffer: 16 * 1024 * 1024 },
    );
    if (result.error !== undefined) throw result.error;
    return {
      exitCode: result.status ?? -1,
      stdout: result.stdout.toString(),
      stderr: result.stderr.toString(),
    };
  }
}
