import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SecretScanError, SecretScanOverrunError } from '../../domain/base/errors.js';
import { GITLEAKS_CONFIG } from './gitleaks-config.js';

export interface GitleaksCall {
  /** Path of the program. */
  readonly program: string;
  readonly args: readonly string[];
  /** Besides what gitleaks itself is given. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly timeoutMs: number;
  /** Seconds on a processor, of gitleaks and of its git each. */
  readonly cpuSeconds: number;
  /** KiB of address space. */
  readonly addressSpaceKib?: number | undefined;
  /** Bytes of standard output. */
  readonly maxOutput: number;
}

export interface GitleaksOutput {
  readonly exitCode: number;
  readonly stdout: string;
  /** The beginning of it. */
  readonly stderr: string;
  /** Standard output went on beyond the cap; gitleaks was stopped there. */
  readonly overflow: boolean;
}

/** Address space, KiB: Go reserves far more than it uses. The garbage collector keeps to the smaller limit. */
const ADDRESS_SPACE_KIB = 6 * 1024 * 1024;
const MEMORY_TARGET = '1GiB';
const STDERR_KEPT = 8 * 1024;
/** `$0` is the program, `$1` and `$2` are numbers. Its git inherits the limits. */
const LIMITED =
  'ulimit -c 0; ulimit -v "$1" && ulimit -t "$2" || { echo "the limits cannot be set" >&2; exit 125; }; shift 2; exec "$0" "$@"';
/** Go's own words, and the shell's, when there is no more memory to be had. */
const OUT_OF_MEMORY = /out of memory|cannot allocate memory|failed to (?:reserve|create)/i;

/**
 * Runs gitleaks with our configuration, in a process group of its own so that a time-out also ends its git. The shell's
 * text is fixed. Resolves with any exit code. Errors: `SecretScanError` when it cannot run, `SecretScanOverrunError` when it
 * takes too long or more than its limits.
 */
export async function runGitleaks(call: GitleaksCall): Promise<GitleaksOutput> {
  const limits = [call.addressSpaceKib ?? ADDRESS_SPACE_KIB, call.cpuSeconds].map(String);
  const child = spawn('/bin/sh', ['-c', LIMITED, call.program, ...limits, ...call.args], {
    // Neither a repository nor a directory with files of gitleaks' own names.
    cwd: '/',
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: '/nonexistent',
      LC_ALL: 'C',
      ...call.env,
      GITLEAKS_CONFIG_TOML: GITLEAKS_CONFIG,
      GOMEMLIMIT: MEMORY_TARGET,
    },
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
  const end = { late: false };
  const timer = setTimeout(() => {
    end.late = true;
    kill();
  }, call.timeoutMs);
  const stdout: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= call.maxOutput) stdout.push(chunk);
    else kill();
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_KEPT) stderr += chunk.toString();
  });
  // It may end before it has read everything (EPIPE); its exit code says why.
  const fed = pipeline(Readable.from([call.input ?? '']), child.stdin).catch(() => undefined);
  try {
    const [exitCode, signal] = await new Promise<[number, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', (cause) => {
        reject(new SecretScanError('gitleaks cannot be started', { cause }));
      });
      child.once('close', (code, by) => {
        resolve([code ?? -1, by]);
      });
    });
    await fed;
    if (end.late) throw new SecretScanOverrunError(`gitleaks took longer than ${String(call.timeoutMs)} ms`);
    const overflow = bytes > call.maxOutput;
    if (!overflow && signal !== null) throw new SecretScanOverrunError(`gitleaks was ended by ${signal}`);
    if (exitCode !== 0 && OUT_OF_MEMORY.test(stderr))
      throw new SecretScanOverrunError('gitleaks needs more memory than it may have');
    return { exitCode, stdout: Buffer.concat(stdout).toString(), stderr, overflow };
  } finally {
    clearTimeout(timer);
    // A git that gitleaks left behind.
    kill();
  }
}
