/** Composition root of syncs: what they need beside what any run does. */
import type { HostPorts } from '../../activities/ports/host-ports.js';
import type { SyncPorts } from '../../activities/sync/sync-ports.js';
import { LocalRunFiles } from '../../adapters/files/run/run-files.js';
import { syncDirectories } from '../../adapters/files/sync/sync-directories.js';
import { ManifestDirectory } from '../../adapters/manifests/manifest-directory.js';
import { readOpencodeEnv, syncRunsRoot } from '../../config/forklift.js';
import type { Config } from '../../config/load-config.js';
import type { HostExtras } from './host-ports-of-config.js';

/** Run directories and `opencode.env` are where this process' environment leads. */
export function syncPorts(
  { BOT_BOTTLE_HOME: home }: Config,
  host: HostPorts,
  { forkGit, guardDirectory, secretFor }: HostExtras,
  agents: SyncPorts['agents'],
): SyncPorts {
  return {
    ...{ host, agents, guardDirectory, secretFor, readOpencodeEnv },
    manifests: new ManifestDirectory(home),
    git: forkGit,
    directories: syncDirectories(syncRunsRoot(process.env)),
    filesOf: (elsewhere, secret) => new LocalRunFiles({ home, forgeToken: noToken, secret, elsewhere }),
  };
}

/** A sidecar without a forge plane is given none. */
function noToken(): Promise<string> {
  return Promise.reject(new Error('a sync has no token of the forge'));
}
