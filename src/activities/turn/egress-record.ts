import { NO_TOTALS, sumTotals, type EgressTotals } from '../../domain/egress/totals.js';
import { addUse, NO_USE, type ModelReport } from '../../domain/run/model-use.js';
import type { EgressMessage } from '../../domain/run/queue.js';
import type { RunFiles } from '../../domain/run/run-files.js';
import { readOwnJson } from '../base/run-text.js';

/** The sidecar is restarted twice in a turn at most; one that names more processes makes them up. */
const MAX_PROCESSES = 8;

interface Kept {
  /** The latest counts of each process of the sidecar, by its id. */
  readonly processes: Readonly<Record<string, EgressRecord>>;
  /** The process that reported last. */
  readonly latest?: string;
}

export interface EgressRecord extends EgressTotals {
  /** All that was used, and what the process that reported last saw; `null` when nothing was asked of a model. */
  readonly model: ModelReport | null;
}

/**
 * Keeps what a message says was counted, in place of what the same process said before. A repeated message changes
 * nothing.
 * @returns false when it was not kept
 */
export async function keepEgress(
  files: RunFiles,
  slug: string,
  turn: number,
  message: EgressMessage,
): Promise<boolean> {
  const { processes } = await read(files, slug, turn);
  if (!Object.hasOwn(processes, message.process) && Object.keys(processes).length >= MAX_PROCESSES)
    return false;
  const { hosts, refusals, model } = message;
  const kept: Kept = {
    processes: { ...processes, [message.process]: { hosts, refusals, model } },
    latest: message.process,
  };
  await files.saveFile(slug, fileOf(turn), `${JSON.stringify(kept)}\n`);
  return true;
}

/** What the turn's sidecars counted together. */
export async function readEgress(files: RunFiles, slug: string, turn: number): Promise<EgressRecord> {
  const { processes, latest = '' } = await read(files, slug, turn);
  const all = Object.values(processes);
  const totals = all.length === 0 ? NO_TOTALS : sumTotals(all);
  const reports = all.flatMap(({ model }) => model ?? []);
  if (reports.length === 0) return { ...totals, model: null };
  const use = reports.map((report) => report.use).reduce(addUse, NO_USE);
  return { ...totals, model: { use, trouble: processes[latest]?.model?.trouble ?? null } };
}

/** Written here alone, from messages that were checked. */
async function read(files: RunFiles, slug: string, turn: number): Promise<Kept> {
  return (await readOwnJson<Kept>(files, slug, fileOf(turn))) ?? { processes: {} };
}

function fileOf(turn: number): string {
  return `turns/${String(turn)}/egress.json`;
}
