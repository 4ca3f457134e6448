import { fstatSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import type { CliDeps, CliIo } from '../../cli/base/deps.js';
import { EXIT } from '../../cli/base/exit-codes.js';
import { printProblem } from '../../cli/base/output.js';

/** This process' own standard streams. */
export const cliIo: CliIo = {
  stdout: fstatSync(1).isFile() ? { write: writeWhole } : process.stdout,
  stderr: process.stderr,
  terminal,
  stdin: { isTTY: process.stdin.isTTY, read: () => buffer(process.stdin), ask },
};

/** Errors: the system's. Node's own stream takes what a disk that fills up did not take for written. */
function writeWhole(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(1, bytes, written);
}

function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  process.stderr.write(question);
  return new Promise((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => {
      resolve('');
    });
  }).finally(() => {
    lines.close();
  }) as Promise<string>;
}

function terminal(): ReturnType<CliIo['terminal']> {
  if (!process.stdout.isTTY) return null;
  const { NO_COLOR = '', TERM } = process.env;
  // no-color.org: any value that is not empty
  return { columns: process.stdout.columns || 80, colors: NO_COLOR === '' && TERM !== 'dumb' };
}

/** Nobody reads any more: a program such as `head` has seen enough, or the terminal was closed. */
const READER_LEFT = ['EPIPE', 'EIO'];

/** A reader that leaves is no failure: the command goes on to its end. What else keeps it from being told is one. */
export function allowReadersToLeave(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (READER_LEFT.includes(error.code ?? '')) return;
    printProblem(cliIo, `bot-bottle: standard output: ${error.message}`);
    process.once('exit', () => {
      if (process.exitCode === EXIT.ok) process.exitCode = EXIT.failed;
    });
  });
  // Thrown, it would be told where it cannot be told, and that again, without end.
  process.stderr.on('error', () => undefined);
}

export const interrupted: CliDeps['interrupted'] = ({ goesOnUnread } = { goesOnUnread: false }) => {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      ending.abort();
    });
  if (!goesOnUnread)
    process.stdout.once('error', () => {
      ending.abort();
    });
  return ending.signal;
};
