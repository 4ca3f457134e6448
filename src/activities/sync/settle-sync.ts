import { messageOf } from '../../domain/base/message-of.js';
import type { Inspection } from '../../domain/bottle/extractor.js';
import type { SettledTurn } from '../../domain/run/events.js';
import { OUTCOME_TEXTS, whyNotStarted } from '../../domain/run/outcome-texts.js';
import type { PublishResult, TurnResult } from '../../domain/run/turn.js';
import type { SecretScanReport } from '../../domain/secret/secret-scanner.js';
import type { SyncOutcome, SyncRun, SyncStatus } from '../../domain/sync/sync.js';
import { shortId, syncBody, syncFurther, syncTitle } from '../../domain/sync/sync-texts.js';
import { atMostThrice, isFinal } from '../base/tries.js';
import { stepOfTurn } from '../base/work-of-run.js';
import { clearAway } from '../destroy-run.js';
import type { HostPorts } from '../ports/host-ports.js';
import { extractWork } from '../publish/extract-work.js';
import { withBundle } from '../publish/with-bundle.js';
import { hostOfSync } from './host-of-sync.js';
import type { SyncPorts } from './sync-ports.js';

export interface SettleSyncInput {
  readonly run: SyncRun;
  /** `null` when there was no turn; `failure` says why. */
  readonly result: TurnResult | null;
  readonly failure: string | null;
}

export interface SettledSync {
  readonly outcome: SyncOutcome;
  readonly settled: SettledTurn;
}

interface Verdict {
  readonly status: SyncStatus;
  readonly reason: string;
  readonly publish: PublishResult;
  readonly inspection?: Inspection;
  readonly secretScan?: SecretScanReport;
}

/**
 * After the container: what it left is verified and published, or left in place; everything else of the run goes, by the
 * sweeper where that fails now. May be repeated: what is pushed and opened is found. What no repetition cures, such as a
 * bot that may not push, is an outcome. Errors: those that it cures, as long as there is no verdict.
 */
export async function settleSync(
  ports: SyncPorts,
  input: SettleSyncInput,
  signal: AbortSignal,
): Promise<SettledSync> {
  const { run, result } = input;
  const host = hostOfSync(ports, run);
  const verdict = await judgeOrFail(host, input, signal);
  const { status, reason, publish, inspection, secretScan } = verdict;
  const pull = publish.kind === 'published' ? publish : null;
  const outcome: SyncOutcome = {
    ...{ status, reason, runDir: run.runDir, slug: run.slug },
    branch: pull === null ? null : run.agentBranch,
    ...{ pr: pull?.pr ?? null, prUrl: pull?.prUrl ?? null },
  };
  // There may be a pull request: what fails from here on makes no failure of it.
  await orLog(host, run.slug, signal, () =>
    ports.directories.describe(run.runDir, {
      ...{ status, reason, pr: outcome.pr, prUrl: outcome.prUrl, exitCode: result?.exitCode ?? null },
      ...(result === null ? {} : { startedAt: iso(result.startedAt), finishedAt: iso(result.finishedAt) }),
    }),
  );
  await orLog(host, run.slug, signal, () => clearAway(host, run.slug, signal));
  host.log.info({ ...outcome }, 'a sync is over');
  return {
    outcome,
    settled: {
      publish,
      stuck: status === 'stuck',
      stuckHash: inspection?.stuck ?? null,
      uncommitted: inspection?.uncommitted.length ?? 0,
      uncommittedRef: null,
      head: inspection?.head ?? null,
      transcriptHash: null,
      ...(secretScan === undefined ? {} : { secretScans: [secretScan] }),
    },
  };
}

/** As any work on what an agent left: it ends, whatever that is. */
async function judgeOrFail(host: HostPorts, input: SettleSyncInput, signal: AbortSignal): Promise<Verdict> {
  const settling = stepOfTurn({ slug: input.run.slug, turn: 1 }, 'settle');
  try {
    return await host.underWay.during(settling, () => atMostThrice(() => judge(host, input, signal), signal));
  } catch (error) {
    if (signal.aborted || !isFinal(error)) throw error;
    host.log.warn({ slug: input.run.slug, err: error }, 'a sync could not be published');
    return not('failed', messageOf(error));
  }
}

/** Errors: the signal's. */
async function orLog(
  { log }: Pick<HostPorts, 'log'>,
  slug: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await atMostThrice(work, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ slug, err: error }, 'something of a sync could not be put in order');
  }
}

async function judge(host: HostPorts, input: SettleSyncInput, signal: AbortSignal): Promise<Verdict> {
  const { run, result, failure } = input;
  const { refs, startSha, order } = run;
  if (result === null) return not('failed', failure ?? 'the container did not run');
  if (result.stopped === 'timeout')
    return not('timeout', `the agent was stopped after ${String(order.timeoutMs / 1000)} s`);
  if (result.stopped !== null) return not('failed', `the agent was stopped: ${result.stopped}`);
  const known = [...new Set([refs.sha, startSha, refs.upstreamSha])];
  const work = await extractWork(host, run, refs.branch, known, 'publish', signal);
  if (work.kind === 'failed') return not('failed', work.reason);
  const { inspection, bundle } = work.extraction;
  const { head, stuck } = inspection;
  if (stuck !== null && !run.knownStuck.includes(stuck))
    return { ...not('stuck', 'the agent left STUCK.md in the workspace: a person has to help'), inspection };
  if (bundle === null) {
    const why = head === startSha ? 'is as it was' : `was moved to ${head}, which has no merge commit`;
    return { ...not('failed', `upstream is not merged: ${refs.branch} ${why}${endOf(result)}`), inspection };
  }
  return { ...(await publish(host, run, head, bundle, signal)), inspection };
}

/** Beside what it left, where that explains it. */
function endOf({ agent, exitCode, limit }: TurnResult): string {
  const why = whyNotStarted(agent, exitCode) ?? limit?.detail ?? OUTCOME_TEXTS[agent.outcome];
  const exit = exitCode === 0 ? '' : `; the agent exited with ${String(exitCode)}`;
  return `${why === null ? '' : `; ${why}`}${exit}`;
}

/** The gate, with upstream as what it may build on, then the pull request. */
async function publish(
  host: HostPorts,
  run: SyncRun,
  head: string,
  bundle: Uint8Array,
  signal: AbortSignal,
): Promise<Verdict> {
  const { slug, refs, order, agentBranch, prepared } = run;
  const request = {
    repo: order.fork,
    branch: agentBranch,
    bundledAs: refs.branch,
    baseSha: run.startSha,
    baseBranch: refs.branch,
    upstreamSha: refs.upstreamSha,
    ...host.settings.publishLimits,
    allowPaths: prepared.allowPaths,
    submoduleRepos: [],
    author: prepared.gitUser,
    // Title and text are ours.
    texts: [],
    signal,
  };
  const verdict = await withBundle(host.files, { slug, turn: 1 }, bundle, (bundleFile) =>
    host.git.publish({ ...request, bundleFile }),
  );
  const scanned = 'secretScan' in verdict ? { secretScan: verdict.secretScan } : {};
  if (verdict.kind === 'refused') return { ...not('failed', verdict.reason), ...scanned };
  // A try that died after its push finds the branch there.
  if (verdict.kind === 'unchanged' && !verdict.onForge)
    return not('unchanged', 'there is nothing that the fork lacks');
  const forge = host.forgeFor(order.fork);
  const there = await forge.findOpenPrByHead(agentBranch);
  signal.throwIfAborted();
  const pull =
    there ??
    (await forge.openPr({
      title: syncTitle(refs),
      body: syncBody(order, refs),
      head: agentBranch,
      base: refs.branch,
    }));
  if (!pull.body.includes(shortId(refs.upstreamSha)))
    await orLog(host, slug, signal, () =>
      forge.updateDescription(pull.number, `${pull.body.trimEnd()}\n\n${syncFurther(refs)}`),
    );
  return {
    status: 'verified',
    reason: `every commit of upstream/${refs.upstreamBranch} is reachable; pull request #${String(pull.number)}`,
    publish: { kind: 'published', pr: pull.number, prUrl: pull.url, head, created: there === undefined },
    ...scanned,
  };
}

function not(status: Exclude<SyncStatus, 'verified'>, reason: string): Verdict {
  return { status, reason, publish: { kind: 'nothing', reason } };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
