import { BotBottleError } from '../../domain/base/errors.js';
import type { RepoRef } from '../../domain/forge/issue.js';
import {
  outcomeWithoutRun,
  type PreparedSync,
  type SyncOrder,
  type SyncOutcome,
  type SyncRefs,
} from '../../domain/sync/sync.js';
import { syncBranch } from '../../domain/sync/sync-names.js';
import { prepareSyncTurn } from './sync-agent.js';
import type { SyncPorts } from './sync-ports.js';

export interface PrepareSyncInput {
  readonly workflowId: string;
  readonly slug: string;
  readonly order: SyncOrder;
  /** Epoch milliseconds: when the sync began. */
  readonly at: number;
}

const FROM_A_FORK =
  'with FORGE_PUBLISH=fork the bot publishes from forks of its own, which a sync cannot: set FORGE_PUBLISH to branch';

/**
 * Fetches both remotes and says what there is to do; where that is nothing, no container is needed. Repeating it finds the
 * run directory of the first try. What no repetition cures is an outcome. Errors: those that it cures.
 */
export async function prepareSync(ports: SyncPorts, input: PrepareSyncInput): Promise<PreparedSync> {
  try {
    if (ports.host.forks !== null) return over(outcomeWithoutRun('failed', FROM_A_FORK));
    return await prepare(ports, input);
  } catch (error) {
    if (!(error instanceof BotBottleError) || error.retryable) throw error;
    return over(outcomeWithoutRun('failed', error.message));
  }
}

async function prepare(
  ports: SyncPorts,
  { workflowId, slug, order, at }: PrepareSyncInput,
): Promise<PreparedSync> {
  const { git, directories, host } = ports;
  const { fork } = order;
  const refs = await git.refreshFork(fork, order.upstream);
  const { branch, upstreamBranch, upstreamSha } = refs;
  const merged = `has all of upstream/${upstreamBranch} (${upstreamSha.slice(0, 12)})`;
  if (refs.behind === 0) return over(outcomeWithoutRun('unchanged', `${branch} ${merged}`));
  const objection = await whyNoPull(ports, fork);
  if (objection !== undefined) return over(outcomeWithoutRun('failed', objection));
  const open = await openSync(ports, order, refs);
  const startSha = open?.sha ?? refs.sha;
  const behind = open === undefined ? refs.behind : await git.countCommits(fork, startSha, upstreamSha);
  if (open !== undefined && behind === 0)
    return over(
      outcomeWithoutRun('unchanged', `pull request #${String(open.number)} ${merged}: it waits`, open),
    );
  const [prepared, knownStuck] = await Promise.all([
    prepareSyncTurn(ports, order, { ...refs, behind }),
    host.git.blobsOf(fork, 'STUCK.md', [startSha, upstreamSha]),
  ]);
  // Last: an order that cannot be carried out leaves none behind.
  const runDir = await directories.make(fork.repo, slug, at);
  const agentBranch = open?.branch ?? syncBranch(at);
  host.log.info({ slug, runDir, start: startSha, upstream: upstreamSha, behind }, 'a sync is prepared');
  const run = { workflowId, slug, order, refs: { ...refs, behind }, startSha, agentBranch };
  return { kind: 'ready', run: { ...run, knownStuck, runDir, prepared } };
}

/** Before an agent works for nothing. */
async function whyNoPull({ host }: SyncPorts, fork: RepoRef): Promise<string | undefined> {
  const forge = host.forgeFor(fork);
  const name = `${fork.owner}/${fork.repo}`;
  if (!(await forge.readRepository()).permissions.push)
    return `the bot may not push to ${name}: give it write access there`;
  if (await forge.canRead('pulls')) return undefined;
  return `${name} shows the bot no pull requests: switch them on in its settings, or let the bot read and write them`;
}

/** The branch of an earlier sync whose pull request is open: there is never a second one. */
async function openSync(
  { host }: SyncPorts,
  { fork }: SyncOrder,
  { earlier }: SyncRefs,
): Promise<
  { readonly branch: string; readonly sha: string; readonly number: number; readonly url: string } | undefined
> {
  if (earlier === null) return undefined;
  const pull = await host.forgeFor(fork).findOpenPrByHead(earlier.branch);
  return pull === undefined ? undefined : { ...earlier, number: pull.number, url: pull.url };
}

function over(outcome: SyncOutcome): PreparedSync {
  return { kind: 'over', outcome };
}
