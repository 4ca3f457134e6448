import type { BottleRuntime } from '../../../domain/bottle/bottle-runtime.js';
import { InvalidInputError } from '../../../domain/base/errors.js';

/** @throws InvalidInputError for an OCI runtime that the engine has not; `null` is its own. */
export async function requireRuntime(
  runtime: Pick<BottleRuntime, 'knowsRuntime'>,
  name: string | null,
): Promise<void> {
  if (name === null || (await runtime.knowsRuntime(name))) return;
  throw new InvalidInputError(
    `the engine has no container runtime "${name}": add it to "runtimes" in /etc/docker/daemon.json and restart the engine, or change BOTTLE_RUNTIME or the bottle's "runtime"`,
  );
}
