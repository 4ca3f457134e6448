/** `up` without a Temporal server at hand starts the one-process server of Temporal's own CLI. */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BotBottleError, InvalidInputError } from '../../domain/base/errors.js';
import { broughtPrograms, findExecutable } from '../find-executable.js';
import { endingWithUp, stopChild } from './child-of-up.js';
import type { Ended, Part } from './keep-part.js';

export interface DevServerOptions {
  /** Path of Temporal's CLI, as `temporalProgram` finds it. */
  readonly program: string;
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly uiPort: number;
  readonly namespace: string;
  /** What its web page asks to decrypt payloads. */
  readonly codecUrl?: string;
  /** Answers once the server serves. */
  readonly reachable: () => Promise<boolean>;
}

/**
 * Its HTTP API can't be turned off, looks at neither Origin nor content type, and nothing here uses it: any page in a browser on
 * this machine could start and end workflows by it. A host that nobody asks for shuts it (RFC 6761, `invalid`).
 */
const NO_HOST = 'bot-bottle.invalid';
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 10_000;

/** Errors: `InvalidInputError` when there is no such program. */
export function temporalProgram(): string {
  const found = findExecutable('temporal', broughtPrograms());
  if (found !== undefined) return found;
  throw new InvalidInputError(
    'no Temporal server answers and there is no `temporal` program to start one: run script/bootstrap --only temporal, or set TEMPORAL_ADDRESS',
  );
}

/** Durable: histories are in `$BOT_BOTTLE_HOME/temporal.db`. */
export function spawnDevServer(options: DevServerOptions): Part {
  const { program, home, host, port, uiPort, namespace, codecUrl } = options;
  const [command, ...args] = endingWithUp('TERM', [
    ...([program, 'server', 'start-dev', '--ip', host, '--port', String(port)] as const),
    ...['--ui-port', String(uiPort), '--namespace', namespace, '--log-level', 'error'],
    ...['--db-filename', path.join(home, 'temporal.db')],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=full'],
    ...['--dynamic-config-value', `frontend.httpAllowedHosts=["${NO_HOST}"]`],
    ...(codecUrl === undefined ? [] : ['--ui-codec-endpoint', codecUrl]),
  ]);
  const logFile = path.join(home, 'temporal.log');
  const log = openSync(logFile, 'a', 0o600);
  // A group of its own: Ctrl-C in the terminal is ours to pass on, in the right order.
  // A child has the mask of the moment it is made: its database is for nobody else to read.
  const mask = process.umask(0o077);
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log] });
  process.umask(mask);
  closeSync(log);
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  let hasServed = false;
  const ended = new Promise<Ended>((resolve) => {
    const end = (how: string): void => {
      resolve({ reason: `${how}: see ${logFile}`, refusal: hasServed ? null : didNotStart(logFile) });
    };
    child.once('error', (error) => {
      end(error.message);
    });
    child.once('exit', (code, signal) => {
      end(signal === null ? `exit code ${String(code)}` : `killed by ${signal}`);
    });
  });
  const serving = untilServing(options, child, isGone).then(() => {
    hasServed = true;
  });
  return { serving, ended, stop: () => stopChild(child, ended, STOP_TIMEOUT_MS) };
}

/** Stays open when it ends before; one that is too slow is ended. */
async function untilServing(
  { reachable }: DevServerOptions,
  child: ChildProcess,
  isGone: () => boolean,
): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (isGone() || !(await reachable())) {
    if (isGone()) return new Promise(() => undefined);
    if (Date.now() > deadline) child.kill('SIGKILL');
    await delay(100);
  }
}

/** With the last that it said, such as which port is taken. */
function didNotStart(logFile: string): BotBottleError {
  const said = readFileSync(logFile, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  return new BotBottleError(
    'temporal_start',
    `the Temporal server did not start (${said}): see ${logFile}`,
    false,
  );
}
