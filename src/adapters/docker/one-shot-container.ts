import type Docker from 'dockerode';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { OneShotSpec } from '../../domain/bottle/bottle-runtime.js';
import { AGENT_USER } from './agent-container.js';
import {
  AGENT_FILE_BYTES,
  FIXED_PATH,
  HARDENED_CONFIG,
  MIB,
  NO_NETWORK,
  bind,
  envList,
  hardenedHostConfig,
  runVolume,
} from './hardening.js';

const ONE_SHOT_LIMITS = { memoryBytes: 1024 * MIB, cpus: 1, pids: 128 };
/** However large the tree is: what removes it holds none of it. */
const REMOVER_LIMITS = { ...ONE_SHOT_LIMITS, memoryBytes: 128 * MIB };

/** A tree has the agent's files and modes: without these, root without capabilities can neither remove nor enter it. */
const CAPABILITIES: Readonly<Record<OneShotSpec['user'], readonly string[]>> = {
  agent: [],
  remover: ['DAC_OVERRIDE', 'FOWNER'],
  reader: ['DAC_READ_SEARCH'],
};
/** A throw-away container. Its output goes to whoever attached, so the engine keeps no log of it. */
export function oneShotContainer(spec: OneShotSpec, hostCpus: number): Docker.ContainerCreateOptions {
  if (spec.argv.length === 0) throw new InvalidInputError('a one-shot container needs a command');
  return {
    ...HARDENED_CONFIG,
    Image: spec.image,
    User: spec.user === 'agent' ? AGENT_USER : '0:0',
    Entrypoint: [...spec.argv],
    Cmd: [],
    WorkingDir: '/',
    Env: envList(spec.env, { PATH: FIXED_PATH, HOME: '/tmp', LANG: 'C.UTF-8' }),
    AttachStdout: true,
    AttachStderr: true,
    // With `none` alone the engine makes an empty sandbox, for which it starts itself twice: 0.15 s a container.
    NetworkDisabled: true,
    HostConfig: {
      ...hardenedHostConfig({
        limits: spec.user === 'remover' ? REMOVER_LIMITS : ONE_SHOT_LIMITS,
        hostCpus,
        tmpBytes: 64 * MIB,
        tmpExec: false,
        fileBytes: AGENT_FILE_BYTES,
        openFiles: 4096,
      }),
      CapAdd: [...CAPABILITIES[spec.user]],
      ...NO_NETWORK,
      LogConfig: { Type: 'none', Config: {} },
      Mounts: [
        ...spec.mounts.map((mount) => bind(mount.source, mount.target, mount.readOnly)),
        ...(spec.volumes ?? []).map(({ kind, target, readOnly }) =>
          runVolume(spec.slug, kind, target, readOnly),
        ),
      ],
    },
  };
}
