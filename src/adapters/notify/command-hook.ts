import { spawn } from 'node:child_process';
import type { Hook, Message, Sent } from '../../domain/notify/hooks.js';
import { escapeTerminal } from '../../domain/text/escape.js';
import { endGroup } from '../system/run-process.js';
import { withinLimit } from '../system/within-limit.js';

const LIMIT_MS = 30_000;
/** Of what it prints, for the log. */
const OUTPUT_BYTES = 2_000;
/** How long output is waited for once the program has ended. */
const LEFT_OPEN_MS = 500;
/** What a program needs to find others and its own files; no variable of ours, which may hold keys of a tracer or a proxy. */
const PASSED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'] as const;

export interface CommandOptions {
  /** The program; there is no shell. */
  readonly path: string;
  /** Whatever of it is needed is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limitMs?: number;
}

/** Starts a program with each message on its standard input. Exit status 0 is success. */
export function commandHook({ path, env, limitMs = LIMIT_MS }: CommandOptions): Hook {
  const own = Object.fromEntries(
    PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  return {
    name: 'command',
    send: (message, stopped) => withinLimit(limitMs, stopped, (ending) => run(path, own, message, ending)),
  };
}

function run(
  path: string,
  env: Record<string, string>,
  { body }: Message,
  ending: AbortSignal,
): Promise<Sent> {
  return new Promise((resolve) => {
    const again = (why: string): void => {
      resolve({ kind: 'again', why, retryAfterMs: null });
    };
    // A process group of its own, so that what it started ends with it.
    const child = spawn(path, [], { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const chunks: Buffer[] = [];
    let length = 0;
    const keep = (chunk: Buffer): void => {
      if (length < OUTPUT_BYTES) chunks.push(chunk.subarray(0, OUTPUT_BYTES - length));
      length += chunk.length;
    };
    const printed = (): string => {
      const text = escapeTerminal(Buffer.concat(chunks).toString('utf8').trim());
      return text === '' ? '' : `: ${text}`;
    };
    const kill = (): void => {
      endGroup(child.pid);
      // Whoever left the group may hold the pipes open.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      again(`it did not end in time and was killed${printed()}`);
    };
    ending.addEventListener('abort', kill, { once: true });
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // It need not read what it is told.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => {
      ending.removeEventListener('abort', kill);
      again(`it cannot be started: ${error.message}`);
    });
    const ended = (code: number | null, signal: string | null): void => {
      if (code === 0) resolve({ kind: 'told' });
      else again(`it ended with ${code === null ? String(signal) : String(code)}${printed()}`);
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    };
    child.on('exit', (code, signal) => {
      ending.removeEventListener('abort', kill);
      endGroup(child.pid);
      // What left the group may keep the output open.
      setTimeout(ended, LEFT_OPEN_MS, code, signal).unref();
    });
    child.on('close', ended);
    if (ending.aborted) kill();
    else child.stdin.end(body);
  });
}
