import { InvalidInputError } from '../../domain/base/errors.js';
import { modelUpstream } from '../../domain/agent/model-way.js';
import type { RunChannel } from '../../domain/run/run-channel.js';
import type { RunFiles } from '../../domain/run/run-files.js';
import type { SyncRun } from '../../domain/sync/sync.js';
import type { GitRepository } from '../../domain/workspace/git-repository.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { SecretFor, SyncPorts } from './sync-ports.js';

/** In the run's directory: its agent was seen to start. */
export const BEGUN_FILE = 'sync-begun';

/** The host as a sync's one turn sees it: its directories, its refs, its key, and nobody to ask. */
export function hostOfSync(ports: SyncPorts, run: SyncRun): HostPorts {
  const { host, directories } = ports;
  const { runDir, slug, order } = run;
  ports.guardDirectory(slug, runDir);
  const elsewhere = { workspace: directories.workspaceOf(runDir), home: directories.harnessStateOf(runDir) };
  const byEnvFile = order.manifest === null;
  const files = ports.filesOf(elsewhere, byEnvFile ? keyOfEnvFile(ports, run) : ports.secretFor);
  return {
    ...host,
    files,
    git: gitOfSync(ports, run),
    channel: quietChannel(files, host.channel),
    hasSecret: (name) => byEnvFile || host.hasSecret(name),
    provider: (name) => {
      const provider = host.provider(name);
      const cliAgent = run.prepared.env['OPENCODE_AGENT'];
      if (!byEnvFile || cliAgent === undefined) return provider;
      return { ...provider, launch: (options) => provider.launch({ ...options, cliAgent }) };
    },
  };
}

/** The model's key is that of `opencode.env`, for where the settings lead; any other secret is what it always is. */
function keyOfEnvFile(
  { host, readOpencodeEnv, secretFor }: SyncPorts,
  { order, prepared }: SyncRun,
): SecretFor {
  return async (name, authorities, vendors) => {
    const access = host.provider(prepared.provider).access(prepared.model);
    if (access?.credentials.some(({ secret }) => secret === name) !== true)
      return secretFor(name, authorities, vendors);
    const { authority } = modelUpstream(access, host.settings.models.upstreams);
    const other = authorities.find((one) => one !== authority);
    if (other !== undefined)
      throw new InvalidInputError(
        `the key of ${order.opencode.envFile} is for ${authority}, not for ${other}`,
      );
    return readOpencodeEnv(order.opencode).values.OPENCODE_API_KEY;
  };
}

/** Both remotes as they were when the sync was prepared, whatever has been pushed since. */
function gitOfSync({ host: { git }, git: forks }: SyncPorts, run: SyncRun): GitRepository {
  const { refs, startSha, order, agentBranch } = run;
  const bundled = new Map([
    [`refs/base/origin/${refs.branch}`, refs.sha],
    [`refs/base/upstream/${refs.upstreamBranch}`, refs.upstreamSha],
    ...(startSha === refs.sha ? [] : [[`refs/base/origin/${agentBranch}`, startSha] as const]),
  ]);
  return {
    refresh: () => Promise.resolve({ startSha, baseBranch: refs.branch, baseSha: refs.sha, branchSha: null }),
    writeRefsBundle: (_repo, _refs, _branch, file) => forks.writeRefs(order.fork, bundled, file),
    boundary: (...asked) => git.boundary(...asked),
    writeSubmodules: (...asked) => git.writeSubmodules(...asked),
    branches: (...asked) => git.branches(...asked),
    publish: (request) => git.publish(request),
    removeLeftBehind: () => git.removeLeftBehind(),
    // Only STUCK.md is asked for. A sync has no issue, so no mirror goes by its subject.
    blobsOf: () => Promise.resolve(run.knownStuck),
    isAncestor: (...asked) => git.isAncestor(...asked),
  };
}

const NOBODY = 'nobody decides about that in a sync';

function quietChannel(files: RunFiles, channel: RunChannel): RunChannel {
  return {
    tell: async (workflowId, event) => {
      if (event.kind !== 'turn_started') return;
      // Once it was seen, a watcher that finds no container does not start a second one.
      await files.saveFile(event.slug, BEGUN_FILE, '');
      // A pause calls off what has not begun.
      await channel.tell(workflowId, event);
    },
    isCurrent: () => Promise.resolve(true),
    openPr: () => Promise.resolve({ kind: 'refused', reason: NOBODY }),
    propose: () => Promise.resolve({ outcome: () => Promise.resolve({ kind: 'refused', reason: NOBODY }) }),
  };
}
