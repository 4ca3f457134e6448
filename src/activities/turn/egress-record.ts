import { NO_TOTALS, sumTotals, type EgressTotals } from '../../domain/egress/totals.js';
import type { EgressMessage } from '../../domain/queue.js';
import type { RunFiles } from '../../domain/run-files.js';

/** The sidecar is restarted twice in a turn at most; one that names more processes makes them up. */
const MAX_PROCESSES = 8;

interface Kept {
  /** The latest counts of each process of the sidecar, by its id. */
  readonly processes: Readonly<Record<string, EgressTotals>>;
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
  const { hosts, refusals } = message;
  const kept: Kept = { processes: { ...processes, [message.process]: { hosts, refusals } } };
  await files.saveFile(slug, fileOf(turn), `${JSON.stringify(kept)}\n`);
  return true;
}

/** What the turn's sidecars counted together. */
export async function readEgress(files: RunFiles, slug: string, turn: number): Promise<EgressTotals> {
  const { processes } = await read(files, slug, turn);
  const all = Object.values(processes);
  return all.length === 0 ? NO_TOTALS : sumTotals(all);
}

/** Written here alone, from messages that were checked. */
async function read(files: RunFiles, slug: string, turn: number): Promise<Kept> {
  const content = await files.readFile(slug, fileOf(turn));
  if (content === undefined) return { processes: {} };
  return JSON.parse(new TextDecoder().decode(content)) as Kept;
}

function fileOf(turn: number): string {
  return `turns/${String(turn)}/egress.json`;
}
