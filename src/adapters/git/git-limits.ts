import type { ProcessLimits } from '../system/run-process.js';

/** What one git process may have that works on an agent's commits. What it maps of the forge's packs is memory too. */
export interface GitLimits extends ProcessLimits {
  /** Milliseconds from start to end. */
  readonly timeoutMs: number;
}

const GIB = 1024 ** 3;
export const GIT_LIMITS: GitLimits = { memoryBytes: 1.5 * GIB, cpuSeconds: 60, timeoutMs: 2 * 60_000 };

/** Options of a git with limits: packs are mapped in pieces, so that the forge's large ones fit into the address space. */
export const SMALL_WINDOWS = [
  '-c',
  'core.packedGitWindowSize=32m',
  '-c',
  'core.packedGitLimit=512m',
] as const;
