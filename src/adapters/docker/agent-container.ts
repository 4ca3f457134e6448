import type Docker from 'dockerode';
import { AGENT_ENTRYPOINT, type AgentContainerSpec } from '../../domain/bottle/bottle-runtime.js';
import { CURRENT_CONFIG_DIR } from '../../domain/egress/ports.js';
import {
  AGENT_FILE_BYTES,
  FIXED_PATH,
  HARDENED_CONFIG,
  MIB,
  NO_NETWORK,
  bind,
  envList,
  hardenedHostConfig,
  jsonFileLog,
  runVolume,
} from './hardening.js';
import { volumeName } from './names-and-labels.js';

export const AGENT_USER = '1000:1000';
const HOME = '/home/agent';
const MAX_TMP = 1024 * MIB;

/**
 * The agent's container: no network interface at all, no capability, no secret; its only ways out are the Unix
 * sockets in a volume it cannot write. Labels and name are added by whoever creates it.
 */
export function agentContainer(spec: AgentContainerSpec, hostCpus: number): Docker.ContainerCreateOptions {
  return {
    ...HARDENED_CONFIG,
    Image: spec.image,
    User: AGENT_USER,
    Entrypoint: [AGENT_ENTRYPOINT],
    Cmd: [],
    WorkingDir: '/workspace',
    Env: envList(spec.env, { PATH: FIXED_PATH, HOME, LANG: 'C.UTF-8' }),
    HostConfig: {
      ...hardenedHostConfig({
        limits: spec.limits,
        hostCpus,
        // Counts as the container's memory, so never more than half of it.
        tmpBytes: Math.min(MAX_TMP, Math.floor(spec.limits.memoryBytes / 2)),
        tmpExec: true,
        fileBytes: AGENT_FILE_BYTES,
        openFiles: 16384,
      }),
      ...(spec.runtime === undefined ? {} : { Runtime: spec.runtime }),
      ...NO_NETWORK,
      // Few and large: a reader that is more than one file behind misses lines.
      LogConfig: jsonFileLog('64m', 2),
      Mounts: [
        bind(spec.workspaceDir, '/workspace', false),
        bind(spec.turnDir, '/run/bottle/turn', true),
        bind(spec.configDir, CURRENT_CONFIG_DIR, true),
        // Read-only, else the agent could replace the sockets.
        runVolume(spec.slug, 'sock', '/run/bottle/sock', true),
        spec.homeDir === undefined
          ? { Type: 'volume', Source: volumeName(spec.slug, 'home'), Target: HOME, ReadOnly: false }
          : bind(spec.homeDir, HOME, false),
      ],
    },
  };
}
