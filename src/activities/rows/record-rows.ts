import type { OperationLine } from '../../domain/run/queue.js';
import type { Stores } from '../../domain/run/stores.js';
import {
  statusOf,
  type ForgeStateRow,
  type OperationRow,
  type OperatorCommandRow,
} from '../../domain/run/rows.js';
import type { HomePorts } from '../ports/home-ports.js';
import { sealRun } from './seal-run.js';
import { placeRow } from './turn-rows.js';
import type {
  RecordEndInput,
  RecordStateInput,
  RecordTurnInput,
  RunRef,
  RunSnapshot,
} from '../ports/inputs.js';

/** A finished turn: its row, its operations, the run's sessions and state row, in one transaction. */
export async function recordTurn(ports: HomePorts, input: RecordTurnInput): Promise<void> {
  const { result, settled, slug, turn, published } = input;
  const operationsRef = result?.operationsRef ?? null;
  const egressRef = result?.egressRef ?? null;
  const operations =
    operationsRef === null ? [] : parseOperations(await ports.blobs.getText(operationsRef), slug, turn);
  const egress: unknown = egressRef === null ? null : JSON.parse(await ports.blobs.getText(egressRef));
  const { database } = ports;
  await database.transaction(async (stores) => {
    const row = await stores.forgeState.ofRun(slug);
    if (row !== undefined && isEarlierThan(row, input)) return;
    const now = ports.clock.now();
    await stores.runs.appendOperations(operations);
    await stores.runs.appendTurn({
      slug,
      turn,
      event: 'ended',
      at: result?.finishedAt ?? now,
      detail: {
        ...{ ...result, ...settled, reason: input.reason, watchdogFired: input.watchdogFired },
        ...(published === undefined ? {} : { published }),
        host: input.snapshot.host,
        // Blobs are not kept for good.
        egress,
      },
    });
    await stores.sessions.update(slug, now);
    await updateState(stores, input, input.snapshot, { now, lastCheckinAt: result?.lastCheckinAt });
    await sealAtRest(ports, stores, input, now);
  });
}

export async function recordState(ports: HomePorts, input: RecordStateInput): Promise<void> {
  const { database } = ports;
  await database.transaction(async (stores) => {
    const now = ports.clock.now();
    await updateState(stores, input, input.snapshot, { now });
    await sealAtRest(ports, stores, input, now);
  });
}

export async function recordEnd(ports: HomePorts, input: RecordEndInput): Promise<void> {
  const { database } = ports;
  await database.transaction(async (stores) => {
    const { forgeState } = stores;
    const updatedAt = ports.clock.now();
    const row = await forgeState.ofRun(input.slug);
    if (row !== undefined && isEarlierThan(row, input)) return;
    await sealRun(stores, ports.signer, { slug: input.slug, reason: 'destroyed', at: updatedAt });
    if (row === undefined) return;
    await forgeState.upsert(destroyedRow(row, input.endedAt, updatedAt));
  });
}

/** The row of a run that has ended. */
export function destroyedRow(row: ForgeStateRow, destroyedAt: number, updatedAt: number): ForgeStateRow {
  return { ...row, status: 'destroyed', phase: 'destroyed', reason: null, destroyedAt, updatedAt };
}

/** A run that rests is sealed in the transaction that says so. */
async function sealAtRest(
  { signer }: Pick<HomePorts, 'signer'>,
  stores: Stores,
  { slug, snapshot }: { readonly slug: string; readonly snapshot: RunSnapshot },
  at: number,
): Promise<void> {
  if (statusOf(snapshot.phase) === 'frozen') await sealRun(stores, signer, { slug, reason: 'frozen', at });
}

export async function recordCommand(
  { database }: Pick<HomePorts, 'database'>,
  row: OperatorCommandRow,
): Promise<void> {
  await database.operatorLog.append(row);
}

async function updateState(
  stores: Stores,
  run: RunRef,
  snapshot: RunSnapshot,
  times: { readonly now: number; readonly lastCheckinAt?: number | undefined },
): Promise<void> {
  const row = await stores.forgeState.ofRun(run.slug);
  if (row === undefined || isEarlierThan(row, run)) return;
  const { owner, repo } = run.subject;
  const prUrl = snapshot.prNumber === null ? null : prUrlOf(row, snapshot.prNumber);
  await placeRow(stores, {
    ...row,
    owner,
    repo,
    status: statusOf(snapshot.phase),
    phase: snapshot.phase,
    reason: snapshot.reason,
    host: snapshot.host,
    prNumber: snapshot.prNumber ?? row.prNumber,
    prUrl: prUrl ?? row.prUrl,
    lastCheckinAt: later(times.lastCheckinAt ?? null, row.lastCheckinAt),
    updatedAt: times.now,
    ...(run.epoch === undefined ? {} : { epoch: run.epoch }),
  });
}

/** The run was moved since this was asked for: its rows are of where it is now. */
function isEarlierThan(row: ForgeStateRow, { epoch = 0 }: RunRef): boolean {
  return (row.epoch ?? 0) > epoch;
}

/** What a turn's end says is from disk, where the last seconds before a crash may be missing. */
function later(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** Gitea's page of a pull request stands beside its issues'. */
function prUrlOf(row: ForgeStateRow, number: number): string {
  return row.issueUrl.replace(/\/(?:issues|pulls)\/\d+$/, `/pulls/${String(number)}`);
}

function parseOperations(text: string, slug: string, turn: number): OperationRow[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => toOperation(line, slug, turn));
}

/** Checked when the sidecar sent it (`queue-body.ts`), or the host's own mark. */
function toOperation(line: string, slug: string, turn: number): OperationRow {
  const { id, at, operation, target, outcome, text } = JSON.parse(line) as OperationLine;
  return { slug, turn, id, at, operation, target, outcome, text };
}
