import type Docker from 'dockerode';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { BundleContainerSpec } from '../../domain/bottle/bottle-runtime.js';
import {
  BUNDLE_FILE_BYTES,
  FIXED_PATH,
  HARDENED_CONFIG,
  MIB,
  bind,
  envList,
  hardenedHostConfig,
  jsonFileLog,
} from './hardening.js';
import { volumeName } from './names-and-labels.js';

/** Neither root nor the agent: its sockets and the queue belong to it. */
export const BUNDLE_USER = '10001:10001';
const NETWORK_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/;
/** There is a sidecar for each running bottle: it collects the dead buffers of its traffic itself. */
export const BUNDLE_NODE_FLAGS = ['--expose-gc'] as const;
/**
 * glibc, mallopt(3): what those took goes back to the system. Pieces of a stream are mapped each by itself, since the heap
 * can't be given back below the last of them that is in use.
 */
export const BUNDLE_MALLOC = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '16384',
} as const;
const BUNDLE_LIMITS = { memoryBytes: 256 * MIB, cpus: 1, pids: 64 };

/**
 * The sidecar's container. Its network is the one thing it has more than the agent; the forge token is a file, because
 * `docker inspect` shows the environment.
 * @throws InvalidInputError for the host's network or another container's
 */
export function bundleContainer(spec: BundleContainerSpec, hostCpus: number): Docker.ContainerCreateOptions {
  return {
    ...HARDENED_CONFIG,
    Image: spec.image,
    User: BUNDLE_USER,
    Entrypoint: ['node', ...BUNDLE_NODE_FLAGS, '/opt/bottle/bundle.mjs'],
    Cmd: [],
    WorkingDir: '/',
    Env: envList(spec.env, { PATH: FIXED_PATH, HOME: '/tmp', LANG: 'C.UTF-8', ...BUNDLE_MALLOC }),
    HostConfig: {
      ...hardenedHostConfig({
        limits: BUNDLE_LIMITS,
        hostCpus,
        tmpBytes: 16 * MIB,
        tmpExec: false,
        fileBytes: BUNDLE_FILE_BYTES,
        openFiles: 4096,
      }),
      NetworkMode: requireNetwork(spec.network),
      LogConfig: jsonFileLog('8m', 2),
      Mounts: [
        // The image's directory gives the empty volume its owner and mode.
        {
          Type: 'volume',
          Source: volumeName(spec.slug, 'sock'),
          Target: '/run/bottle/sock',
          ReadOnly: false,
        },
        bind(spec.queueOutDir, '/run/bottle/out', false),
        bind(spec.queueInDir, '/run/bottle/in', true),
        ...(spec.tokenFile === null ? [] : [bind(spec.tokenFile, '/run/bottle/forge-token', true)]),
        bind(spec.secretsDir, '/run/bottle/secrets', true),
        bind(spec.configDir, '/run/bottle/config', true),
        ...(spec.caFile === null ? [] : [bind(spec.caFile, '/run/bottle/ca.pem', true)]),
        ...(spec.loopbackDir === null ? [] : [bind(spec.loopbackDir, '/run/bottle/loopback', true)]),
      ],
    },
  };
}

/** From the host's network the bundle would reach Temporal's unauthenticated port; `container:x` is somebody else's. */
export function requireNetwork(network: string): string {
  if (network === 'host')
    throw new InvalidInputError(
      "the bundle is never on the host's network: set BUNDLE_NETWORK to a bridge network",
    );
  if (!NETWORK_NAME.test(network)) {
    throw new InvalidInputError(
      `not a Docker network's name: ${JSON.stringify(network.slice(0, 80))}; set BUNDLE_NETWORK to a bridge network`,
    );
  }
  return network;
}
