import type { BottleRuntime } from '../../domain/bottle/bottle-runtime.js';
import { parseUsage, usageSpec, type DiskUsage, type UsageTarget } from '../../domain/bottle/disk-usage.js';
import { BottleRuntimeError } from '../../domain/base/errors.js';

/** `timeout` ended the walk, or the kernel did for its memory. */
const TOO_MUCH = [124, 137];

/** What a run holds, counted in a container. `null` when that is too much to count. Errors: `BottleRuntimeError`. */
export async function measureUsage(
  runtime: Pick<BottleRuntime, 'runOnce'>,
  target: UsageTarget,
  signal: AbortSignal,
): Promise<DiskUsage | null> {
  const { exitCode, stdout, stderr } = await runtime.runOnce(usageSpec(target), signal);
  if (exitCode === 0) return parseUsage(stdout);
  if (TOO_MUCH.includes(exitCode)) return null;
  throw new BottleRuntimeError(`du ended with ${String(exitCode)}: ${stderr.slice(0, 200)}`, true);
}
