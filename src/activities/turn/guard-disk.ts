import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import type { DiskUsage } from '../../domain/bottle/disk-usage.js';
import type { TurnJournal } from './turn-journal.js';

const NOTHING: DiskUsage = { bytes: 0, inodes: 0 };

/** Puts the turn under the host's disk guard until the signal aborts. Never rejects. */
export async function guardDisk(
  ports: HostPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  { since, signal, onOver }: GuardedBy,
): Promise<void> {
  const { slug } = input;
  const { resumed, record } = journal;
  const unwatch = ports.disk.watch({
    slug,
    // What was written while nobody watched is not known.
    held: resumed ? null : await heldBefore(ports, input),
    limit: record.disk?.limit ?? null,
    asked: input.prepared.disk ?? null,
    fresh: !resumed,
    since,
    onMeasured: (disk) => {
      journal.decide({ disk }).catch((error: unknown) => {
        ports.log.warn({ slug, err: error }, 'the disk usage of a run was not noted');
      });
    },
    onOver,
  });
  await new Promise<void>((resolve) => {
    const over = (): void => {
      resolve();
    };
    if (signal.aborted) over();
    else signal.addEventListener('abort', over, { once: true });
  });
  const disk = unwatch();
  if (disk !== null) journal.observe({ disk });
}

export interface GuardedBy {
  /** The guard's count before anything of the turn was written. */
  readonly since: DiskUsage;
  readonly signal: AbortSignal;
  readonly onOver: (detail: string) => void;
}

/** What the run held after the turn before; `null` when nobody looked. */
async function heldBefore(ports: HostPorts, { slug, turn }: RunTurnInput): Promise<DiskUsage | null> {
  if (turn === 1) return NOTHING;
  const before = await ports.files.readTurn(slug, turn - 1).catch(() => undefined);
  return before?.disk?.held ?? null;
}
