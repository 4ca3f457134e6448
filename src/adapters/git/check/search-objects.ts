import { spawn, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GitError, GitOverrunError } from '../../../domain/base/errors.js';
import { SecretSearch, type KnownSecret } from '../../../domain/secret/secret-search.js';
import type { InQuarantine } from './candidate.js';
import { readObjects, type GitObject } from './new-objects.js';

export interface SearchTask {
  readonly quarantine: InQuarantine;
  readonly ids: readonly string[];
  readonly secrets: readonly KnownSecret[];
}

export interface ObjectHit {
  readonly id: string;
  /** Of the secret. */
  readonly name: string;
}

export type SearchAnswer =
  | { readonly kind: 'searched'; readonly hits: readonly ObjectHit[] }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly retryable: boolean;
      readonly overrun: boolean;
    };

/** Some 12 ms of work in slices of less than one: starting a process would cost more. */
const SEARCHED_HERE_BYTES = 1024 * 1024;
/** Its entry, compiled or not, as this file is. */
const CHILD = fileURLToPath(new URL(`search-child${extname(import.meta.url)}`, import.meta.url));
const HEAP_MIB = 128;
/** `$1` is a number; its git has limits of its own. */
const LIMITED = 'ulimit -c 0; ulimit -t "$1" || exit 125; shift; exec "$@"';

/**
 * Which of the secrets is in which of the objects. Every byte is looked at in JavaScript, hundreds of MiB of them: more
 * than a little is done in a process of its own, with limits of memory, CPU and time, so that nobody's heartbeat waits.
 * Errors: `GitOverrunError`, `GitError`.
 */
export async function searchObjects(
  { dir, limits }: InQuarantine,
  objects: readonly GitObject[],
  secrets: readonly KnownSecret[],
): Promise<readonly ObjectHit[]> {
  if (objects.length === 0 || secrets.length === 0) return [];
  const task: SearchTask = { quarantine: { dir, limits }, ids: objects.map(({ id }) => id), secrets };
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= SEARCHED_HERE_BYTES) return searchHere(task);
  const answer = await inChild(task);
  if (answer.kind === 'searched') return answer.hits;
  throw answer.overrun ? new GitOverrunError(answer.message) : new GitError(answer.message, answer.retryable);
}

/** The same in this process. */
export async function searchHere({ quarantine, ids, secrets }: SearchTask): Promise<readonly ObjectHit[]> {
  const search = new SecretSearch(secrets);
  const hits: ObjectHit[] = [];
  await readObjects(quarantine, ids, ({ id }) => {
    const pass = search.begin();
    return {
      data: (bytes) => {
        pass.push(bytes);
      },
      end: () => {
        for (const name of pass.names) hits.push({ id, name });
      },
    };
  });
  return hits;
}

async function inChild(task: SearchTask): Promise<SearchAnswer> {
  const { cpuSeconds, timeoutMs } = task.quarantine.limits;
  const node = [process.execPath, ...process.execArgv, `--max-old-space-size=${String(HEAP_MIB)}`, CHILD];
  const child = spawn('/bin/sh', ['-c', LIMITED, 'sh', String(cpuSeconds), ...node], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    return await new Promise((resolve, reject) => {
      child.once('message', (answer) => {
        resolve(answer as SearchAnswer);
      });
      child.once('error', (cause) => {
        reject(new GitError('the search for known secrets cannot be started', true, { cause }));
      });
      child.once('exit', (code, signal) => {
        reject(ended(code, signal));
      });
      send(child, task);
    });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

/** The secrets go through the pipe: neither the command line nor the environment shows them. */
function send(child: ChildProcess, task: SearchTask): void {
  // What ended before it had read its task says so by its end.
  child.send(task, () => undefined);
}

/** Killed by us, by its limit of CPU, or by V8 for want of memory (SIGABRT, or 134 from a shell). */
function ended(code: number | null, signal: NodeJS.Signals | null): GitError {
  const how = signal ?? `exit code ${String(code)}`;
  const message = `the search for known secrets ended with ${how}`;
  return signal !== null || code === 134 ? new GitOverrunError(message) : new GitError(message, true);
}
