import type { DiskUsage } from '../../domain/bottle/disk-usage.js';
import { recordBefore } from '../base/record-before.js';
import type { GuardedTurn } from '../ports/disk-guard.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import type { TurnJournal } from './turn-journal.js';

const NOTHING: DiskUsage = { bytes: 0, inodes: 0 };

/** Puts the turn under the host's disk guard until the signal aborts. Never rejects. */
export async function guardDisk(
  ports: HostPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  { usedBefore, signal, onOver }: GuardedBy,
): Promise<void> {
  const { slug } = input;
  // Of the turn before, also when this one is watched again: a worker that restarts gives no room anew.
  const held = await heldBefore(ports, input);
  if (signal.aborted) return;
  const unwatch = ports.disk.watch({
    slug,
    held,
    usedBefore,
    asked: input.prepared.disk ?? null,
    onMeasured: (measured) => {
      journal.decide({ disk: { held: measured } }).catch((error: unknown) => {
        ports.log.warn({ slug, err: error }, 'the disk usage of a run was not noted');
      });
    },
    onOver,
  });
  const end = (): void => {
    const most = unwatch();
    if (most !== null) journal.observe({ disk: { held: most } });
  };
  signal.addEventListener('abort', end, { once: true });
}

export interface GuardedBy extends Pick<GuardedTurn, 'usedBefore' | 'onOver'> {
  readonly signal: AbortSignal;
}

/** `null` when nobody looked. */
async function heldBefore(ports: HostPorts, input: RunTurnInput): Promise<DiskUsage | null> {
  if (input.turn === 1) return NOTHING;
  const before = await recordBefore(ports.files, input, ({ disk }) => disk !== null).catch(() => undefined);
  return before?.disk?.held ?? null;
}
