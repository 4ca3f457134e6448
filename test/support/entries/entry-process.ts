/** The compiled product's entries as processes of their own, by whatever starts them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RECORDER = fileURLToPath(new URL('record-modules.mjs', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class EntryProcess {
  stdout = '';
  stderr = '';
  private readonly closed: Promise<unknown>;

  private constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.closed = once(child, 'close');
  }

  /** @param env all there is, beside PATH and HOME */
  static start(command: readonly string[], env: Readonly<Record<string, string>>): EntryProcess {
    const { PATH, HOME } = process.env;
    const [program = '', ...args] = command;
    const all = { PATH, HOME, ...env };
    return new EntryProcess(spawn(program, args, { cwd: ROOT, env: all, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  async ended(): Promise<Ended> {
    await this.closed;
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  async stop(): Promise<Ended> {
    this.child.kill('SIGTERM');
    return this.ended();
  }
}

/** `node dist/…`, which writes down what it loads. @param file where, `LoadedModules.read` reads it */
export function recorded(file: string, entry: string, ...args: readonly string[]): EntryStart {
  return {
    command: [process.execPath, '--import', RECORDER, entry, ...args],
    env: { BOT_BOTTLE_TEST_MODULES: file },
  };
}

/** The same for the worker of an `up`, by its environment. */
export function recordedWorker(file: string): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--import ${RECORDER}`,
    BOT_BOTTLE_TEST_PART: 'worker',
    BOT_BOTTLE_TEST_MODULES: file,
  };
}

export interface EntryStart {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface LoadedModules {
  /** Names of packages, such as `@temporalio/client`. */
  readonly packages: ReadonlySet<string>;
  /** Folders of dist/, such as `adapters/docker`; the entries' own is `.`. */
  readonly folders: ReadonlySet<string>;
}

/** What a process that has ended had loaded. Throws when it did not get to say all of it. */
export async function loadedModules(file: string): Promise<LoadedModules> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  if (lines.at(-1) !== 'end') throw new Error(`${file} has no end: the process was killed`);
  const names = lines.map((line) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(line)?.[1]);
  const own = lines.filter((line, at) => names[at] === undefined && line.startsWith(path.join(ROOT, 'dist')));
  return {
    packages: new Set(names.filter((name) => name !== undefined)),
    folders: new Set(own.map((line) => path.dirname(path.relative(path.join(ROOT, 'dist'), line)))),
  };
}
