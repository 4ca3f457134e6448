/** What one git process may have that works on an agent's commits. */
export interface GitLimits {
  /** Address space, bytes: what it maps of the forge's packs counts too. */
  readonly memoryBytes: number;
  /** Seconds on a processor. */
  readonly cpuSeconds: number;
  /** Milliseconds from start to end. */
  readonly timeoutMs: number;
}

const GIB = 1024 ** 3;
export const GIT_LIMITS: GitLimits = { memoryBytes: 1.5 * GIB, cpuSeconds: 60, timeoutMs: 2 * 60_000 };

/** The shell's text is fixed: `$1` and `$2` are numbers, the rest is handed on. Processes that git starts inherit the limits. */
const LIMITED =
  'ulimit -c 0; ulimit -v "$1" && ulimit -t "$2" || { echo "the limits cannot be set" >&2; exit 125; }; shift 2; exec git "$@"';
/** Packs are mapped in pieces, so that the forge's large ones fit into the address space. */
const SMALL_WINDOWS = ['-c', 'core.packedGitWindowSize=32m', '-c', 'core.packedGitLimit=512m'];

/** Program and arguments that run git within the limits. */
export function limitedGit(
  args: readonly string[],
  { memoryBytes, cpuSeconds }: GitLimits,
): { readonly program: string; readonly args: readonly string[] } {
  const numbers = [String(Math.floor(memoryBytes / 1024)), String(cpuSeconds)];
  return { program: '/bin/sh', args: ['-c', LIMITED, 'sh', ...numbers, ...SMALL_WINDOWS, ...args] };
}
