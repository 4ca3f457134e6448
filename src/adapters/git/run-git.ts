import { GitError, GitOverrunError } from '../../domain/base/errors.js';
import { runProcess, type ProcessCall, type ProcessEnd, type ProcessFault } from '../system/run-process.js';
import { SMALL_WINDOWS, type GitLimits } from './git-limits.js';

export interface GitCommand extends Pick<
  ProcessCall,
  'args' | 'env' | 'input' | 'timeoutMs' | 'signal' | 'onOutput'
> {
  /** Limits of the process itself, for what works on an agent's objects; the time is `timeoutMs`. */
  readonly limits?: GitLimits | undefined;
  /** Bytes of standard output; more is a final error. */
  readonly maxOutput?: number;
}

export type GitOutput = Pick<ProcessEnd, 'exitCode' | 'stdout' | 'stderr'>;

const DEFAULT_OUTPUT = 16 * 1024 * 1024;

/**
 * Runs git, never through a shell that reads its arguments. Resolves with any exit code. Errors: `GitError` when git
 * cannot run, takes too long or writes too much; where it has limits, `GitOverrunError` for the latter two, and when a
 * limit ended it.
 */
export async function runGit(command: GitCommand): Promise<GitOutput> {
  const { limits, maxOutput = DEFAULT_OUTPUT } = command;
  const args = limits === undefined ? command.args : [...SMALL_WINDOWS, ...command.args];
  const end = await runProcess({ ...command, program: 'git', args, maxOutput });
  const overrun = (what: string, retryable: boolean): GitError => {
    const message = `git ${verbOf(command.args)} ${what}`;
    return limits === undefined
      ? new GitError(message, retryable)
      : new GitOverrunError(message, undefined, retryable);
  };
  if (end.fault !== null) throw faultOf(end.fault);
  // SIGXCPU is its limit of CPU, SIGKILL the kernel's when memory is short.
  if (limits !== undefined && end.signal !== null) throw overrun(`was ended by ${end.signal}`, true);
  return end;

  function faultOf(fault: ProcessFault): GitError {
    switch (fault.kind) {
      case 'late':
        return overrun(`took longer than ${String(command.timeoutMs)} ms`, true);
      case 'output':
        return overrun(`wrote more than ${String(maxOutput)} bytes`, false);
      case 'aborted':
        return new GitError(`git ${verbOf(command.args)} was given up`, false);
      case 'not_started':
        return new GitError('git cannot be started: is it installed?', false, { cause: fault.cause });
      case 'reader':
        return fault.cause instanceof GitError
          ? fault.cause
          : new GitError('the output of git cannot be read', true, { cause: fault.cause });
    }
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
