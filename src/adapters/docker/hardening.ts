import { isAbsolute } from 'node:path';
import type Docker from 'dockerode';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { ResourceLimits } from '../../domain/bottle/bottle-runtime.js';
import { volumeName, type VolumeKind } from './names-and-labels.js';
import { seccompOption } from './seccomp-profile.js';

/** What no container of ours is without. */

export const FIXED_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
export const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const SHM_BYTES = 64 * MIB;
const NANO = 1e9;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface Hardening {
  readonly limits: ResourceLimits;
  /** CPUs of the engine's machine: it refuses a limit above them, and the limit is only an upper bound. */
  readonly hostCpus: number;
  readonly tmpBytes: number;
  /** Build tools run what they put into /tmp; nothing else may. */
  readonly tmpExec: boolean;
  /** Largest file a process may write, bytes. */
  readonly fileBytes: number;
  readonly openFiles: number;
}

export function hardenedHostConfig(hardening: Hardening): Docker.HostConfig {
  const { memoryBytes, cpus, pids } = hardening.limits;
  return {
    Privileged: false,
    CapAdd: [],
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', seccompOption()],
    ReadonlyRootfs: true,
    IpcMode: 'private',
    ShmSize: SHM_BYTES,
    Init: true,
    Memory: memoryBytes,
    // Equal to the memory: no swap.
    MemorySwap: memoryBytes,
    NanoCpus: Math.round(Math.min(cpus, hardening.hostCpus) * NANO),
    PidsLimit: pids,
    Ulimits: [
      { Name: 'core', Soft: 0, Hard: 0 },
      { Name: 'fsize', Soft: hardening.fileBytes, Hard: hardening.fileBytes },
      { Name: 'nofile', Soft: hardening.openFiles, Hard: hardening.openFiles },
    ],
    Tmpfs: {
      '/tmp': `rw,nosuid,nodev,${hardening.tmpExec ? 'exec' : 'noexec'},size=${String(hardening.tmpBytes)},mode=1777`,
    },
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
  };
}

export const HARDENED_CONFIG = {
  Healthcheck: { Test: ['NONE'] },
  // The default is the container's id; nothing inside needs it.
  Hostname: 'bottle',
  Tty: false,
  OpenStdin: false,
  AttachStdin: false,
  StopSignal: 'SIGTERM',
} as const satisfies Docker.ContainerCreateOptions;

export function jsonFileLog(
  maxSize: string,
  maxFile: number,
): { Type: string; Config: Record<string, string> } {
  return { Type: 'json-file', Config: { 'max-size': maxSize, 'max-file': String(maxFile) } };
}

/**
 * `KEY=VALUE` strings; what is fixed wins over what is given.
 * @throws InvalidInputError for a name that is none, or a NUL
 */
export function envList(
  given: Readonly<Record<string, string>>,
  fixed: Readonly<Record<string, string>>,
): string[] {
  return Object.entries({ ...given, ...fixed })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      if (!ENV_NAME.test(name))
        throw new InvalidInputError(`not a name of an environment variable: ${JSON.stringify(name)}`);
      if (value.includes('\0')) throw new InvalidInputError(`environment variable ${name} contains a NUL`);
      return `${name}=${value}`;
    });
}

/** A host path mounted at a target. `Mounts`, not `Binds`: a missing source is an error, a colon is just a character. */
export function bind(source: string, target: string, readOnly: boolean): Docker.MountSettings {
  for (const path of [source, target]) {
    if (!isAbsolute(path) || path.includes('\0'))
      throw new InvalidInputError(`not an absolute path: ${JSON.stringify(path)}`);
  }
  if (/(^|\/)docker\.sock$/.test(source)) throw new InvalidInputError('the Docker socket is never mounted');
  return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly };
}

/** A volume of the run. Nothing of the image is copied into it: whoever owns it came first. */
export function runVolume(
  slug: string,
  kind: VolumeKind,
  target: string,
  readOnly: boolean,
): Docker.MountSettings {
  return {
    Type: 'volume',
    Source: volumeName(slug, kind),
    Target: target,
    ReadOnly: readOnly,
    VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } },
  };
}

/**
 * For a container without a network. Otherwise the engine copies the host's resolv.conf, which names its name servers
 * and its search domains.
 */
export const NO_NETWORK = {
  NetworkMode: 'none',
  Dns: ['127.0.0.1'],
  DnsSearch: ['.'],
} as const satisfies Docker.HostConfig;

/** File size limits, bytes. */
export const AGENT_FILE_BYTES = 8 * GIB;
export const BUNDLE_FILE_BYTES = 256 * MIB;
