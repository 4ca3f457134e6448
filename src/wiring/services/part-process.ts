/** Worker, webhook and API as child processes of `up`: how they are started, asked to stop, and why they ended. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError } from '../../cli/base/errors.js';
import { escapeTerminal } from '../../domain/text/escape.js';
import { MissingNeedsError } from '../find-needs.js';
import { endingWithUp, stopChild } from './child-of-up.js';
import type { Ended, Part } from './keep-part.js';
import { MAY_START, PART_OF_UP, type PartMessage } from './part-of-up.js';

export interface PartProcessOptions {
  /** Its entry beside `cli`, compiled or not, as this file is. */
  readonly entry: 'worker' | 'webhook' | 'api';
  /** What it gets when `up` is killed. */
  readonly orphaned: 'KILL' | 'TERM';
  /** How long it may take to stop, milliseconds. */
  readonly stopMs: number;
  /** It has found what it stands on; when this resolves, it starts. */
  readonly onFound?: () => Promise<void>;
  readonly onServing?: (at: string) => void;
}

/** glibc, mallopt(3): each of a worker's twenty threads would have an arena of its own, and keep what it once held. */
const PART_MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '1048576' };
/** Of its error's message, characters. */
const MAX_REASON = 300;
/** Of its last output, characters: V8 prints a page after the line that matters. */
const TAIL = 16_384;
const HEAP_IS_FULL = /^FATAL ERROR: .*heap out of memory/m;

/** Its log goes on to where ours goes. */
export function startPartProcess(options: PartProcessOptions): Part {
  const file = fileURLToPath(
    new URL(`../../${options.entry}${path.extname(import.meta.url)}`, import.meta.url),
  );
  const own = [process.execPath, ...process.execArgv, file] as const;
  const [program, ...args] = endingWithUp(options.orphaned, own);
  // A group of its own: Ctrl-C in the terminal is ours to pass on, in the right order.
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: { ...PART_MALLOC, ...process.env, [PART_OF_UP]: options.entry },
  });
  let tail = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    tail = (tail + chunk.toString('latin1')).slice(-TAIL);
  });
  let last: PartMessage | undefined;
  const serving = new Promise<void>((resolve) => {
    child.on('message', (message: PartMessage) => {
      last = message;
      if (message.kind === 'serving') {
        options.onServing?.(message.at);
        resolve();
      } else if (message.kind === 'found') {
        void options.onFound?.().then(() => {
          if (child.connected) child.send(MAY_START, () => undefined);
        });
      }
    });
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error) => {
      resolve({ reason: reasonOf(error.message), refusal: null });
    });
    // `close`: what it printed last is read by then.
    child.once('close', (code, signal) => {
      resolve(howItEnded(last, code, signal, tail));
    });
  });
  return { serving, ended, stop: () => stopChild(child, ended, options.stopMs) };
}

function howItEnded(
  last: PartMessage | undefined,
  code: number | null,
  signal: NodeJS.Signals | null,
  tail: string,
): Ended {
  if (signal === 'SIGABRT' && HEAP_IS_FULL.test(tail))
    return { reason: 'its heap was full (JavaScript heap out of memory, SIGABRT)', refusal: null };
  if (signal !== null) return { reason: `killed by ${signal}`, refusal: null };
  const exit = `exit code ${String(code)}`;
  if (last?.kind === 'crashed')
    return { reason: reasonOf(`uncaught ${last.message}`, ` (${exit})`), refusal: null };
  if (last?.kind !== 'failed') return { reason: exit, refusal: null };
  const refusal =
    last.problems === null
      ? new CliError(last.code, last.exitCode, last.message)
      : new MissingNeedsError(last.problems);
  return { reason: reasonOf(last.message, ` (${exit})`), refusal };
}

function reasonOf(message: string, end = ''): string {
  const text = message.replaceAll(/\s+/g, ' ').trim();
  return `${escapeTerminal(text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text)}${end}`;
}
