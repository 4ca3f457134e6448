/** What the demo left behind, really looked for. */
import { existsSync } from 'node:fs';
import type { BottleRuntime } from '../../../src/domain/bottle/bottle-runtime.js';
import type { LeftProcess } from './processes.js';

export interface Leftovers {
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly processes: readonly LeftProcess[];
}

/** Containers and volumes with our labels for the slug, and the processes that were found alive. */
export async function leftoversOf(
  runtime: BottleRuntime,
  slug: string | null,
  processes: readonly LeftProcess[],
): Promise<Leftovers> {
  const owned = slug === null ? [] : await runtime.list(slug);
  const names = (type: 'container' | 'volume'): string[] =>
    owned.filter((object) => object.type === type).map(({ name }) => name);
  return { containers: names('container'), volumes: names('volume'), processes };
}

export function isClean({ containers, volumes, processes }: Leftovers): boolean {
  return containers.length + volumes.length + processes.length === 0;
}

export function stillThere(directories: readonly string[]): string[] {
  return directories.filter((directory) => existsSync(directory));
}
