import type { Agents } from '../../domain/agent/agents.js';
import type { Manifests } from '../../domain/manifest/manifests.js';
import type { RunFiles } from '../../domain/run/run-files.js';
import type { ForkGit, ReadOpencodeEnv, SyncDirectories } from '../../domain/sync/ports.js';
import type { HostPorts } from '../ports/host-ports.js';

/** A secret of the operator for these upstreams (`host:port`): as `RunFiles.placeSecrets` asks for it. */
export type SecretFor = (
  name: string,
  authorities: readonly string[],
  vendors: readonly string[],
) => Promise<string>;

/** What a sync needs beside what any run does. */
export interface SyncPorts {
  readonly host: HostPorts;
  readonly agents: Pick<Agents, 'findOrRefuse'>;
  readonly manifests: Pick<Manifests, 'bottle'>;
  readonly git: ForkGit;
  readonly directories: SyncDirectories;
  readonly readOpencodeEnv: ReadOpencodeEnv;
  /** As any run's secrets are read. */
  readonly secretFor: SecretFor;
  /** The run's files, with the agent's two directories elsewhere. */
  readonly filesOf: (
    elsewhere: { readonly workspace: string; readonly home: string },
    secretFor: SecretFor,
  ) => RunFiles;
  /** What the disk guard counts for a run from now on. */
  readonly guardDirectory: (slug: string, directory: string) => void;
}
