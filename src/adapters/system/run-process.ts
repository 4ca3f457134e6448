import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** What one process may have; those that it starts inherit it. */
export interface ProcessLimits {
  /** Address space, bytes. */
  readonly memoryBytes: number;
  /** Seconds on a processor. */
  readonly cpuSeconds: number;
}

export interface ProcessCall {
  readonly program: string;
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Readable | undefined;
  readonly timeoutMs: number;
  readonly limits?: ProcessLimits | undefined;
  /** Bytes of standard output that are kept, less than one text can have (512 MiB); at more it is stopped. */
  readonly maxOutput: number;
  /** Stops it. */
  readonly signal?: AbortSignal | undefined;
  /** Takes standard output as it comes, however much; nothing of it is kept. */
  readonly onOutput?: ((chunk: Buffer) => void) | undefined;
}

/** Why it was stopped, or never ran. */
export type ProcessFault =
  | { readonly kind: 'late' | 'output' | 'aborted' }
  /** `reader`: `onOutput` threw. */
  | { readonly kind: 'not_started' | 'reader'; readonly cause: unknown };

export interface ProcessEnd {
  /** `ENDED_BY_SIGNAL` in the place of one that a signal ended. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
  /** Empty with a fault. */
  readonly stdout: string;
  /** The beginning of it. */
  readonly stderr: string;
  readonly fault: ProcessFault | null;
}

/** In the place of an exit code, such as of a process that the kernel killed for its memory. */
export const ENDED_BY_SIGNAL = -1;
const STDERR_KEPT = 16 * 1024;
/** The shell's text is fixed: `$0` is the program, `$1` and `$2` are numbers, the rest is handed on. */
const LIMITED =
  'ulimit -c 0; ulimit -v "$1" && ulimit -t "$2" || { echo "the limits cannot be set" >&2; exit 125; }; shift 2; exec "$0" "$@"';

/**
 * Runs a program with an argument array in a process group of its own, which ends with it: what it started is stopped too.
 * Its directory is `/`, where no program finds files of its own by accident. Never rejects.
 */
export async function runProcess(call: ProcessCall): Promise<ProcessEnd> {
  const { program, args } = call.limits === undefined ? call : limited(call, call.limits);
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...call.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let fault = null as ProcessFault | null;
  const stop = (why: ProcessFault): void => {
    fault ??= why;
    endGroup(child.pid);
  };
  const timer = setTimeout(() => {
    stop({ kind: 'late' });
  }, call.timeoutMs);
  const onAbort = (): void => {
    stop({ kind: 'aborted' });
  };
  call.signal?.addEventListener('abort', onAbort);
  if (call.signal?.aborted === true) onAbort();

  const stdout: Buffer[] = [];
  let stdoutBytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    if (call.onOutput !== undefined) {
      try {
        call.onOutput(chunk);
      } catch (cause) {
        stop({ kind: 'reader', cause });
      }
      return;
    }
    stdoutBytes += chunk.length;
    if (stdoutBytes <= call.maxOutput) stdout.push(chunk);
    else stop({ kind: 'output' });
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_KEPT) stderr += chunk.toString();
  });

  // It may end before it has read everything (EPIPE); its exit code says why.
  const fed = pipeline(Readable.from(call.input ?? []), child.stdin).catch(() => undefined);
  const [exitCode, signal] = await new Promise<[number, NodeJS.Signals | null]>((resolve) => {
    child.once('error', (cause) => {
      stop({ kind: 'not_started', cause });
      resolve([ENDED_BY_SIGNAL, null]);
    });
    child.once('close', (code, by) => {
      resolve([code ?? ENDED_BY_SIGNAL, by]);
    });
  });
  await fed;
  clearTimeout(timer);
  call.signal?.removeEventListener('abort', onAbort);
  endGroup(child.pid);
  // Of one that was stopped nobody reads it, and it may be more than fits into one text.
  return { exitCode, signal, stdout: fault === null ? Buffer.concat(stdout).toString() : '', stderr, fault };
}

function limited(
  { program, args }: ProcessCall,
  { memoryBytes, cpuSeconds }: ProcessLimits,
): Pick<ProcessCall, 'program' | 'args'> {
  const numbers = [String(Math.floor(memoryBytes / 1024)), String(cpuSeconds)];
  return { program: '/bin/sh', args: ['-c', LIMITED, program, ...numbers, ...args] };
}

/** Kills a process and what it started, as far as that stayed in its group. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // There is nobody left in it.
  }
}
