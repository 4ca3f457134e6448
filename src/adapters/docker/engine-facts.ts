import { fieldsOf } from '../../domain/base/is-record.js';

export interface EngineFacts {
  readonly version: string;
  readonly apiVersion: string;
  readonly storageDriver: string;
  /** It can cap a container's disk by itself (overlay2 on xfs with pquota, zfs, btrfs). */
  readonly storageQuota: boolean;
  /** Names of the OCI runtimes that it has. */
  readonly runtimes: readonly string[];
  /** Where it keeps volumes and containers, on its own machine; `null` when it does not say. */
  readonly dataRoot: string | null;
}

/** What the engine's `GET /info` tells; what it does not tell is left out rather than believed. */
export function factsOf(info: unknown): Omit<EngineFacts, 'version' | 'apiVersion'> {
  const { Driver, DriverStatus, Runtimes, DockerRootDir } = fieldsOf(info);
  const storageDriver = typeof Driver === 'string' ? Driver : 'unknown storage driver';
  const pairs: readonly unknown[] = Array.isArray(DriverStatus) ? DriverStatus : [];
  const onXfs = pairs.some(
    (pair) => Array.isArray(pair) && pair[0] === 'Backing Filesystem' && pair[1] === 'xfs',
  );
  return {
    storageDriver,
    storageQuota:
      storageDriver === 'btrfs' || storageDriver === 'zfs' || (storageDriver === 'overlay2' && onXfs),
    runtimes: Object.keys(fieldsOf(Runtimes)).sort(),
    dataRoot: typeof DockerRootDir === 'string' && DockerRootDir !== '' ? DockerRootDir : null,
  };
}

/** Infinity when it does not say. */
export function cpusOf(info: unknown): number {
  const { NCPU } = fieldsOf(info);
  return typeof NCPU === 'number' && NCPU > 0 ? NCPU : Infinity;
}
