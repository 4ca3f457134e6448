import { InvalidInputError } from '../base/errors.js';
import type { OneShotSpec } from './bottle-runtime.js';

/** What stands on a disk: bytes that are allocated (a hole in a file is none), and inodes. */
export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

/** What a bottle may hold in the place of what the host's settings say; `null` for those. */
export interface DiskRequest {
  readonly bytes: number | null;
  readonly inodes: number | null;
}

/** One file system, as `statfs` tells of it. `inodes` is 0 where it has no fixed number of them. */
export interface FileSystemSpace {
  readonly path: string;
  readonly freeBytes: number;
  readonly usedBytes: number;
  readonly inodes: number;
  readonly freeInodes: number;
  readonly usedInodes: number;
}

/** The file systems that runs write to, each once. */
export interface DiskSpace {
  readonly fileSystems: readonly FileSystemSpace[];
  /** False when one that runs write to cannot be looked at from here: its floor is not kept, and what it holds more not seen. */
  readonly complete: boolean;
}

export interface UsageTarget {
  /** The container's. */
  readonly name?: string;
  readonly slug: string;
  readonly image: string;
  readonly workspaceDir: string;
  /** The volume of the home is there; a missing one must not be made up. */
  readonly hasHome?: boolean;
}

/** A million files take `du` some ten seconds where nothing of them is cached. */
const WALK_SECONDS = 45;
const MAX_REPORT_BYTES = 4096;
/** `du` ends with 1 when a file vanished under it: it counted the rest. */
const WALK = `
for what in --block-size=1 --inodes; do
  timeout -k 1 ${String(WALK_SECONDS)} du -s -c -x "$what" /tree/* 2>/dev/null
  rc=$?
  [ "$rc" -le 1 ] || exit "$rc"
done`;

/**
 * A container that counts what a run holds in its workspace and its home, both read-only. Root with one capability,
 * because the agent's uid could close its own directories against itself; a file with two links counts once.
 */
export function usageSpec({
  name = 'disk',
  slug,
  image,
  workspaceDir,
  hasHome = true,
}: UsageTarget): OneShotSpec {
  return {
    name,
    slug,
    image,
    argv: ['/bin/sh', '-c', WALK],
    user: 'reader',
    mounts: [{ source: workspaceDir, target: '/tree/workspace', readOnly: true }],
    volumes: hasHome ? [{ kind: 'home', target: '/tree/home', readOnly: true }] : [],
    env: {},
    timeoutMs: (2 * WALK_SECONDS + 10) * 1000,
    maxOutputBytes: MAX_REPORT_BYTES,
  };
}

/** Reads the output of a `usageSpec` container. Errors: `InvalidInputError`. */
export function parseUsage(stdout: Uint8Array): DiskUsage {
  const totals = [...new TextDecoder().decode(stdout).matchAll(/^(\d{1,18})\ttotal$/gm)].map(([, digits]) =>
    Number(digits),
  );
  const [bytes, inodes] = totals;
  if (totals.length !== 2 || bytes === undefined || inodes === undefined)
    throw new InvalidInputError("not the output of the container that measures a run's disk usage");
  return { bytes, inodes };
}

/** Bytes of the two parts, from the same output; what was not got to is missing. */
export function parseParts(stdout: Uint8Array): { readonly workspace?: number; readonly home?: number } {
  const sizes: { workspace?: number; home?: number } = {};
  for (const [, bytes, part] of new TextDecoder()
    .decode(stdout)
    .matchAll(/^(\d{1,18})\t\/tree\/(workspace|home)$/gm))
    // Their inodes come after it.
    sizes[part === 'home' ? 'home' : 'workspace'] ??= Number(bytes);
  return sizes;
}
