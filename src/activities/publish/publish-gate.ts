import type { Extraction } from '../../domain/bottle/extractor.js';
import {
  isLocal,
  type ForgeUser,
  type PullRequest,
  type RepoRef,
  type SubjectRef,
} from '../../domain/forge/issue.js';
import type { Forge } from '../../domain/forge/forge.js';
import { placeObjection } from '../../domain/run/unfit-branches.js';
import type { ForgeBranches } from '../../domain/workspace/git-repository.js';
import type { TurnRecord } from '../../domain/run/run-files.js';
import { secretRefusal } from '../../domain/run/secret-refusal.js';
import type { NamedText } from '../../domain/secret/secret-scanner.js';
import { pagesOf, pullRequestBody, pullRequestTitle } from '../../domain/text/inert-text.js';
import type { PublishResult } from '../../domain/run/turn.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { Publisher, RunRef } from '../ports/inputs.js';
import { keepPushed } from '../base/last-pushed.js';
import { askForDueReview, keepDueReview } from './due-review.js';
import { openAgainst } from './open-against.js';
import { noteScan } from './publish-scans.js';
import { withBundle } from './with-bundle.js';
import { readBottle } from '../setup/read-setup.js';

/** What is to become of the commits: a pull request, or the branch alone. */
export type Publication =
  | {
      readonly kind: 'pull_request';
      readonly title: string;
      readonly body: string;
      readonly draft: boolean;
      /** By the agent's own `open_pr`: its words replace those of a draft. */
      readonly asked: boolean;
      /** What of it is the agent's, and so is scanned for secrets. */
      readonly texts: readonly NamedText[];
    }
  | { readonly kind: 'branch' };

type PullRequestWords = Pick<Extract<Publication, { kind: 'pull_request' }>, 'title' | 'body'>;

export interface GateInput extends RunRef, Publisher {
  readonly extraction: Extraction;
  readonly record: TurnRecord;
  readonly publication: Publication;
  /** The forge's branches, when they were read just now. */
  readonly seen?: ForgeBranches | undefined;
  readonly signal: AbortSignal;
}

/**
 * The publish gate: the commits are checked in quarantine and pushed by id, then the pull request is opened or
 * adopted. Repeating it changes nothing. A refusal is an answer for the agent, not a fault.
 */
export async function publishThroughGate(ports: HostPorts, input: GateInput): Promise<PublishResult> {
  const { subject, slug, turn, extraction, record, publication } = input;
  if (isLocal(subject)) return { kind: 'refused', reason: 'a run without an issue publishes nothing' };
  const { branch } = input.prepared;
  const { head } = extraction.inspection;
  const left = await whyLeft(ports, input);
  if (left !== undefined) return { kind: 'refused', reason: left };
  const fork = await ports.forks?.ensure(subject);
  const pushed = await pushBranch(ports, input, branch, fork);
  if (pushed.kind === 'refused') return pushed;
  await ports.underWay.reached(slug, 'pushed');
  // Also after a try that died between its push and this line.
  if (pushed.head === head) await keepPushed(ports, slug, head);
  const same: { readonly unchanged?: true } = pushed.head === head ? {} : { unchanged: true };
  const forge = ports.forgeFor(subject);
  const existing = await forge.findOpenPrByHead(branch);
  const elsewhere =
    existing === undefined ? undefined : placeObjection(existing, fork === undefined ? 'branch' : 'fork');
  if (elsewhere !== undefined) return { kind: 'refused', reason: elsewhere };
  if (existing !== undefined) {
    const refusal = await endDraft(ports, forge, input, existing, pushed.kind === 'pushed');
    if (refusal !== undefined) return { kind: 'refused', reason: refusal };
    await askForDueReview(ports, forge, input, existing.number);
    return { kind: 'published', pr: existing.number, prUrl: existing.url, head, created: false, ...same };
  }
  // A try that died after its push finds the branch unchanged, but there.
  const onForge = pushed.kind === 'pushed' || pushed.onForge;
  if (!onForge || head === record.refs?.baseSha)
    return { kind: 'nothing', reason: 'there are no new commits on the branch' };
  if (publication.kind === 'branch') return { kind: 'pushed', head, ...same };
  // Closed while the turn ran: a person said no, and the run ends as soon as that is heard of.
  if (input.latestPr !== null && !(await forge.isPrOpen(input.latestPr)))
    return { kind: 'nothing', reason: `pull request #${String(input.latestPr)} was closed` };
  // With the commits the texts were scanned too.
  const secret = pushed.kind === 'pushed' ? undefined : await secretInTexts(ports, input);
  if (secret !== undefined) return { kind: 'refused', reason: secret };
  // Scans and a slow push take their time.
  const leftSince = await whyLeft(ports, input);
  if (leftSince !== undefined) return { kind: 'refused', reason: leftSince };
  input.signal.throwIfAborted();
  ports.log.info({ slug, turn, branch }, 'opening the pull request');
  return { ...(await openPullRequest(ports, forge, { ...input, publication }, fork)), ...same };
}

const LEFT = 'the run was moved to another host: what this one has of it is not published';

/** A host that was away while the run was moved may come back to the work it was at. Errors: when nobody can say. */
async function whyLeft(
  { channel, log }: Pick<HostPorts, 'channel' | 'log'>,
  { workflowId, slug, turn, epoch = 0 }: RunRef,
): Promise<string | undefined> {
  if (await channel.isCurrent(workflowId, { slug, epoch })) return undefined;
  log.warn({ slug, turn, epoch }, LEFT);
  return LEFT;
}

async function pushBranch(
  ports: HostPorts,
  input: GateInput,
  branch: string,
  fork: RepoRef | undefined,
): Promise<
  | { kind: 'pushed'; head: string }
  | { kind: 'unchanged'; onForge: boolean; head: string | null }
  | { kind: 'refused'; reason: string }
> {
  const { subject, extraction, record } = input;
  if (extraction.bundle === null)
    return { kind: 'unchanged', onForge: (record.refs?.branchSha ?? null) !== null, head: null };
  const request = {
    repo: subject,
    ...(fork === undefined ? {} : { fork }),
    branch,
    baseSha: record.baseSha ?? '',
    ...(record.refs === null ? {} : { baseBranch: record.refs.baseBranch }),
    ...ports.settings.publishLimits,
    allowPaths: input.prepared.allowPaths,
    submoduleRepos: (await readBottle(ports, input)).workspace.submoduleRepos,
    author: input.prepared.gitUser,
    texts: textsOf(input.publication),
    seen: input.seen,
    objection: () => whyLeft(ports, input),
    signal: input.signal,
  };
  const verdict = await withBundle(ports.files, input, extraction.bundle, (bundleFile) =>
    ports.git.publish({ ...request, bundleFile }),
  );
  if (verdict.kind === 'unchanged')
    return { kind: 'unchanged', onForge: verdict.onForge, head: verdict.onForge ? verdict.head : null };
  if (verdict.secretScan !== undefined) await noteScan(ports, input, verdict.secretScan);
  const { kind } = verdict;
  return kind === 'pushed' ? { kind, head: verdict.head } : { kind, reason: verdict.reason };
}

async function secretInTexts(ports: HostPorts, input: GateInput): Promise<string | undefined> {
  const texts = textsOf(input.publication);
  if (texts.length === 0) return undefined;
  const scan = await ports.secrets.scanTexts(texts);
  await noteScan(ports, input, ports.secrets.report(scan));
  return secretRefusal(scan, input.record.baseSha ?? '');
}

function textsOf(publication: Publication): readonly NamedText[] {
  return publication.kind === 'pull_request' ? publication.texts : [];
}

/** Gitea merges nothing whose title begins so. */
const WIP = 'WIP: ';

/**
 * What an earlier turn opened as a draft is one no longer once the work is published as done. Somebody else's draft, one
 * whose title a person has changed, and any of a bottle without drafts, is left as it is. Resolves with why it may not be
 * touched: a secret in the agent's words, or the run is elsewhere.
 */
async function endDraft(
  ports: HostPorts,
  forge: Forge,
  input: GateInput,
  { number, title, author }: PullRequest,
  isScanned: boolean,
): Promise<string | undefined> {
  const { publication, subject, prepared, slug, turn } = input;
  if (publication.kind === 'branch' || publication.draft) return undefined;
  if (!prepared.drafts || !title.startsWith(WIP)) return undefined;
  const bot = await forge.whoAmI();
  const titler = author.id === bot.id ? await retitledBy(forge, number) : author;
  if (titler !== undefined && titler.id !== bot.id) return undefined;
  // A run whose issue is the pull request itself has no other one to close.
  const words = publication.asked && number !== subject.number ? publication : null;
  const secret = words === null || isScanned ? undefined : await secretInTexts(ports, input);
  const refusal = secret ?? (await whyLeft(ports, input));
  if (refusal !== undefined) return refusal;
  input.signal.throwIfAborted();
  ports.log.info({ slug, turn, pr: number }, 'the pull request is no draft any more');
  // The title last: until then another try finds the draft.
  if (words !== null) await forge.updateDescription(number, bodyOf(ports, subject, words));
  await forge.updateTitle(number, words === null ? title.slice(WIP.length) : titleOf(subject, words));
  return undefined;
}

/** Who gave it another title last; `undefined` where it has its first one. */
async function retitledBy(
  forge: Pick<Forge, 'readTimeline'>,
  number: number,
): Promise<ForgeUser | undefined> {
  const acts = await forge.readTimeline(number);
  return acts.findLast(({ kind, what }) => kind === 'edited' && what === 'title')?.actor;
}

function titleOf({ number }: SubjectRef, { title }: PullRequestWords): string {
  return pullRequestTitle(title, `Work on #${String(number)}`);
}

function bodyOf({ settings }: HostPorts, { number }: SubjectRef, { body }: PullRequestWords): string {
  return pullRequestBody(body, number, pagesOf(settings.forgeApi));
}

async function openPullRequest(
  ports: HostPorts,
  forge: Forge,
  input: GateInput & { readonly publication: Extract<Publication, { kind: 'pull_request' }> },
  fork: RepoRef | undefined,
): Promise<PublishResult> {
  const { subject, publication } = input;
  const title = titleOf(subject, publication);
  const wanted = {
    title: publication.draft ? WIP + title : title,
    body: bodyOf(ports, subject, publication),
    head: input.prepared.branch,
    ...(fork === undefined ? {} : { headOwner: fork.owner }),
  };
  await keepDueReview(ports, input);
  const pr = await openAgainst(forge, wanted, input.record.refs?.baseBranch);
  await askForDueReview(ports, forge, input, pr.number);
  return {
    kind: 'published',
    pr: pr.number,
    prUrl: pr.url,
    head: input.extraction.inspection.head,
    created: true,
  };
}
