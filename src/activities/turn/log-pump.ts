import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '../../domain/ports.js';
import type { HostPorts } from '../host-ports.js';
import type { RunTurnInput } from '../inputs.js';
import type { TurnJournal } from './turn-journal.js';

const FLUSH_MS = 250;
const RETRY_MS = 1_000;

/**
 * Follows the agent's output into the turn's log until the container stops; a parsed event on its stream is a
 * check-in. After a restart it goes on from the position on disk.
 */
export async function pumpLogs(
  ports: HostPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  signal: AbortSignal,
): Promise<void> {
  const { slug, turn } = input;
  const provider = ports.provider(input.prepared.provider);
  let pending: LogLine[] = [];
  let since = journal.record.logSince;
  const flush = async (): Promise<void> => {
    const lines = pending;
    const last = lines.at(-1);
    if (last === undefined) return;
    pending = [];
    await ports.files.appendLog(slug, turn, lines);
    journal.observe({ logSince: last.at });
  };
  const timer = setInterval(() => {
    flush().catch((error: unknown) => {
      ports.log.warn({ slug, err: error }, 'agent log not written');
    });
  }, FLUSH_MS);
  try {
    for (;;) {
      try {
        await ports.runtime.followLogs(slug, 'agent', since, signal, (line) => {
          since = line.at;
          pending.push(line);
          if (line.stream !== 'stdout' || !isEvent(line.text)) return;
          journal.checkIn();
          const sessionId = provider.sessionIdIn(line.text);
          if (sessionId !== undefined && sessionId !== journal.record.sessionId)
            journal.observe({ sessionId });
        });
        return;
      } catch (error) {
        if (signal.aborted) return;
        ports.log.warn({ slug, err: error }, 'log stream broke; following again');
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    clearInterval(timer);
    await flush();
  }
}

/** The CLIs speak JSON lines; anything else on the stream proves no progress. */
function isEvent(text: string): boolean {
  if (!text.startsWith('{')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
