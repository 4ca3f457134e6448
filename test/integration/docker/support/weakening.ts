import { resolve } from 'node:path';
import type Docker from 'dockerode';
import { bind } from '../../../../src/adapters/docker/hardening.js';

export type Options = Docker.ContainerCreateOptions & { HostConfig: Docker.HostConfig };
/** What the engine says of it, and what the agent sees of it; `null`: only made, not started. */
export interface Weakening {
  readonly what: string;
  readonly change: (host: Docker.HostConfig, options: Options, dir: string) => void;
  readonly told: readonly string[];
  readonly seen: readonly string[] | null;
}

/** @param source relative to the run's directory, or absolute */
export const mount =
  (source: string, target: string, readOnly = true): Weakening['change'] =>
  (host, _options, dir) => {
    const added = { ...bind('/x', target, readOnly), Source: resolve(dir, source) };
    host.Mounts = [...(host.Mounts ?? []), added];
  };
/** The mount at that place, changed. */
export const mountAt =
  (target: string, change: Partial<Docker.MountSettings>): Weakening['change'] =>
  (host) => {
    host.Mounts = host.Mounts?.map((one) => (one.Target === target ? { ...one, ...change } : one)) ?? [];
  };
export const set =
  (change: Partial<Docker.HostConfig> & Record<string, unknown>): Weakening['change'] =>
  (host) => {
    Object.assign(host, change);
  };
export const row = (
  what: string,
  change: Weakening['change'],
  told: Weakening['told'],
  seen: Weakening['seen'],
): Weakening => ({
  what,
  change,
  told,
  seen,
});
