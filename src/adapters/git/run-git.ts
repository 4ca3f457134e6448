import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GitError, GitOverrunError } from '../../domain/base/errors.js';
import { limitedGit, type GitLimits } from './git-limits.js';

export interface GitCommand {
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Readable;
  readonly timeoutMs: number;
  /** Limits of the process itself, for what works on an agent's objects; the time is `timeoutMs`. */
  readonly limits?: GitLimits | undefined;
  /** Bytes of standard output; more is a final error. */
  readonly maxOutput?: number;
  /** Ends git. */
  readonly signal?: AbortSignal | undefined;
  /** Takes standard output as it comes, however much; nothing of it is kept. */
  readonly onOutput?: (chunk: Buffer) => void;
}

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In the place of an exit code, such as of a git that the kernel killed for its memory. */
export const ENDED_BY_SIGNAL = -1;
const DEFAULT_OUTPUT = 16 * 1024 * 1024;
const STDERR_KEPT = 16 * 1024;

/**
 * Runs git with an argument array, never a shell, in a process group of its own so that a time-out also ends its
 * helpers. Resolves with any exit code. Errors: `GitError` when git cannot run, takes too long or writes too much; where
 * it has limits, `GitOverrunError` for the latter two, and when a limit ended it.
 */
export async function runGit(command: GitCommand): Promise<GitOutput> {
  const maxOutput = command.maxOutput ?? DEFAULT_OUTPUT;
  const { program, args } =
    command.limits === undefined
      ? { program: 'git', args: command.args }
      : limitedGit(command.args, command.limits);
  const child = spawn(program, args, {
    // Not a directory in which git could find a repository by itself.
    cwd: '/',
    env: { ...command.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  };

  let fault: GitError | undefined;
  const fail = (error: GitError): void => {
    fault ??= error;
    kill();
  };
  const overrun = (what: string, retryable: boolean): GitError => {
    const message = `git ${verbOf(command.args)} ${what}`;
    return command.limits === undefined
      ? new GitError(message, retryable)
      : new GitOverrunError(message, undefined, retryable);
  };
  const timer = setTimeout(() => {
    fail(overrun(`took longer than ${String(command.timeoutMs)} ms`, true));
  }, command.timeoutMs);
  const onAbort = (): void => {
    fail(new GitError(`git ${verbOf(command.args)} was given up`, false));
  };
  command.signal?.addEventListener('abort', onAbort);
  if (command.signal?.aborted === true) onAbort();

  const stdout: Buffer[] = [];
  let stdoutBytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (command.onOutput !== undefined) {
      try {
        command.onOutput(chunk);
      } catch (cause) {
        fail(
          cause instanceof GitError
            ? cause
            : new GitError('the output of git cannot be read', true, { cause }),
        );
      }
      return;
    }
    stdoutBytes += chunk.length;
    if (stdoutBytes <= maxOutput) stdout.push(chunk);
    else fail(overrun(`wrote more than ${String(maxOutput)} bytes`, false));
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_KEPT) stderr += chunk.toString();
  });

  // git may end before it has read everything (EPIPE); its exit code says why.
  const fed = pipeline(Readable.from(command.input ?? []), child.stdin).catch(() => undefined);
  try {
    const [exitCode, signal] = await new Promise<[number, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', (cause) => {
        reject(new GitError('git cannot be started: is it installed?', false, { cause }));
      });
      child.once('close', (code, by) => {
        resolve([code ?? ENDED_BY_SIGNAL, by]);
      });
    });
    await fed;
    if (fault !== undefined) throw fault;
    // SIGXCPU is its limit of CPU, SIGKILL the kernel's when memory is short.
    if (command.limits !== undefined && signal !== null) throw overrun(`was ended by ${signal}`, true);
    return { exitCode, stdout: Buffer.concat(stdout).toString(), stderr };
  } finally {
    clearTimeout(timer);
    command.signal?.removeEventListener('abort', onAbort);
  }
}

/** The subcommand, for messages: the first argument that is neither an option nor an option's value. */
export function verbOf(args: readonly string[]): string {
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] ?? '';
    if (['-c', '-C', '--git-dir'].includes(arg)) i += 1;
    else if (!arg.startsWith('-')) return arg;
  }
  return '';
}
