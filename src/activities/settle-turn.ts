import type { SettledTurn } from '../domain/run/events.js';
import type { Extraction } from '../domain/bottle/extractor.js';
import { isLocal } from '../domain/forge/issue.js';
import { patchLoss, patchSpec } from '../domain/bottle/extractor.js';
import { ContainerOverrunError } from '../domain/base/errors.js';
import type { PublishResult } from '../domain/run/turn.js';
import type { HostPorts } from './ports/host-ports.js';
import type { SettleTurnInput } from './ports/inputs.js';
import { extractionTarget, extractWork, knownCommits, overrun } from './publish/extract-work.js';
import { publishThroughGate, type Publication } from './publish/publish-gate.js';
import { scansOf } from './publish/publish-scans.js';
import { keepWork } from './publish/keep-work.js';
import { isStuck } from './publish/publish-stuck.js';
import { snapshotSession } from './transcript/snapshot-session.js';

const MAX_PATCH_BYTES = 8 * 1024 * 1024;
const PATCH_TIMEOUT_MS = 30_000;

/**
 * After the agent has exited: snapshot the session, take the work out, publish it, keep what is left. Idempotent.
 * @param signal aborted when the run ends: then nothing more is published
 */
export async function settleTurn(
  ports: HostPorts,
  input: SettleTurnInput,
  signal: AbortSignal = new AbortController().signal,
): Promise<SettledTurn> {
  const { slug, turn } = input;
  const record = await ports.files.readTurn(slug, turn);
  const [transcriptHash, work] = await Promise.all([
    snapshotSession(ports, input),
    extractWork(ports, input, input.prepared.branch, knownCommits(record?.refs), 'settle', signal),
  ]);
  if (work.kind === 'failed' || record === undefined) {
    const reason = work.kind === 'failed' ? work.reason : 'the turn never began';
    const publish: PublishResult = { kind: 'refused', reason };
    return {
      publish,
      stuck: false,
      stuckHash: input.stuckHash,
      uncommitted: 0,
      uncommittedRef: null,
      head: null,
      transcriptHash,
      // Of an `open_pr` before: an agent that spoils its workspace afterwards does not hide what was found.
      secretScans: await scansOf(ports, input),
    };
  }
  const { extraction } = work;
  const { inspection } = extraction;
  const stuck = await isStuck(ports, input, record, inspection.stuck, input.stuckHash);
  const [publish, uncommittedRef] = await Promise.all([
    isLocal(input.subject)
      ? keepWork(ports, input, extraction)
      : stuck || !input.publish || record.setAside !== null
        ? skipped(stuck)
        : publishThroughGate(ports, {
            ...input,
            record,
            extraction,
            publication: await publicationOf(ports, input),
            signal,
          }),
    keepUncommitted(ports, input, extraction, signal),
  ]);
  return {
    publish,
    stuck,
    stuckHash: inspection.stuck,
    uncommitted: inspection.uncommitted.length,
    uncommittedRef,
    head: inspection.head,
    transcriptHash,
    secretScans: await scansOf(ports, input),
  };
}

function skipped(stuck: boolean): PublishResult {
  return {
    kind: 'nothing',
    reason: stuck
      ? 'the agent left STUCK.md'
      : 'the run is ending or was not asked for any more, or what it asked for was set aside',
  };
}

/** A turn that ends without `open_pr`: a success becomes a pull request, anything else a branch or a draft. */
async function publicationOf(ports: HostPorts, input: SettleTurnInput): Promise<Publication> {
  const { done } = input.result;
  const success = done?.status === 'success';
  if (!success && !input.prepared.drafts) return { kind: 'branch' };
  const issue = await ports.forgeFor(input.subject).readIssue(input.subject.number);
  const body = done === null || done.summaryRef === '' ? '' : await ports.blobs.getText(done.summaryRef);
  // The issue's title is on the forge already.
  const texts = body === '' ? [] : [{ where: 'the summary', text: body }];
  return { kind: 'pull_request', title: issue.title, body, draft: !success, asked: false, texts };
}

/** The list becomes a blob for the nudge; the changes themselves are kept as a patch. */
async function keepUncommitted(
  ports: HostPorts,
  input: SettleTurnInput,
  extraction: Extraction,
  signal: AbortSignal,
): Promise<string | null> {
  const { uncommitted } = extraction.inspection;
  const listed = uncommitted.filter((path) => path !== 'STUCK.md');
  if (listed.length === 0) return null;
  const { slug, turn } = input;
  const target = await extractionTarget(ports, input, input.prepared.branch, 'patch', PATCH_TIMEOUT_MS);
  const patch = await ports.runtime.runOnce(patchSpec(target, MAX_PATCH_BYTES), signal).catch(overrun);
  if (patch instanceof ContainerOverrunError || patch.exitCode !== 0)
    ports.log.warn({ slug, turn }, 'what is not committed could not be kept as a patch');
  else {
    await ports.files.saveFile(slug, `turns/${String(turn)}/uncommitted.patch`, patch.stdout);
    const loss = patchLoss(patch, MAX_PATCH_BYTES);
    if (loss !== null) ports.log.warn({ slug, turn, loss }, 'uncommitted.patch is not all that was left');
  }
  return ports.blobs.put(listed.join('\n'));
}
