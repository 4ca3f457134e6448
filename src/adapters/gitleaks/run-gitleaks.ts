import { SecretScanError, SecretScanOverrunError } from '../../domain/base/errors.js';
import { runProcess, type ProcessCall, type ProcessEnd } from '../system/run-process.js';
import { GITLEAKS_CONFIG } from './gitleaks-config.js';

/** `env` is besides what gitleaks itself is given. */
export interface GitleaksCall extends Pick<
  ProcessCall,
  'program' | 'args' | 'env' | 'input' | 'timeoutMs' | 'maxOutput'
> {
  /** Seconds on a processor, of gitleaks and of its git each. */
  readonly cpuSeconds: number;
  /** Address space. */
  readonly memoryBytes?: number | undefined;
}

/** Address space: Go reserves far more than it uses. The garbage collector keeps to the smaller limit. */
const MEMORY_BYTES = 6 * 1024 ** 3;
const MEMORY_TARGET = '1GiB';
/** Go's own words, and the shell's, when there is no more memory to be had. */
const OUT_OF_MEMORY = /out of memory|cannot allocate memory|failed to (?:reserve|create)/i;

/**
 * Runs gitleaks with our configuration. Resolves with any exit code. Errors: `SecretScanError` when it cannot run,
 * `SecretScanOverrunError` when it takes too long, says too much, or needs more than its limits.
 */
export async function runGitleaks(call: GitleaksCall): Promise<ProcessEnd> {
  const { timeoutMs, cpuSeconds, memoryBytes = MEMORY_BYTES } = call;
  const end = await runProcess({
    ...call,
    limits: { memoryBytes, cpuSeconds },
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: '/nonexistent',
      LC_ALL: 'C',
      ...call.env,
      GITLEAKS_CONFIG_TOML: GITLEAKS_CONFIG,
      GOMEMLIMIT: MEMORY_TARGET,
    },
  });
  const { fault, signal, exitCode, stderr } = end;
  if (fault?.kind === 'late')
    throw new SecretScanOverrunError(`gitleaks took longer than ${String(timeoutMs)} ms`);
  if (fault?.kind === 'output')
    throw new SecretScanOverrunError('gitleaks found more than a report can hold');
  if (fault !== null)
    throw new SecretScanError('gitleaks cannot be started', 'cause' in fault ? { cause: fault.cause } : {});
  if (signal !== null) throw new SecretScanOverrunError(`gitleaks was ended by ${signal}`);
  if (exitCode !== 0 && OUT_OF_MEMORY.test(stderr))
    throw new SecretScanOverrunError('gitleaks needs more memory than it may have');
  return end;
}
