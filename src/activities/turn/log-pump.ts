import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '../../domain/bottle-runtime.js';
import type { HostPorts } from '../host-ports.js';
import type { RunTurnInput } from '../inputs.js';
import type { TurnJournal } from './turn-journal.js';

const FLUSH_MS = 250;
const RETRY_MS = 1_000;
/** More than a line of the log ever has: the engine cuts its lines at 16 KiB and the adapter joins a few of them. */
const TAIL_BYTES = 4 * 1024 * 1024;

/**
 * Follows the agent's output into the turn's log until the container stops; a parsed event on its stream is a
 * check-in. After a restart it goes on behind the last line of the log: no line is lost, none is there twice.
 */
export async function pumpLogs(
  ports: LogPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  signal: AbortSignal,
): Promise<void> {
  const { slug, turn } = input;
  const provider = ports.provider(input.prepared.provider);
  let pending: LogLine[] = [];
  let since = await writtenUntil(ports, slug, turn, journal);
  since ??= await endOfEarlier(ports, slug, turn);
  let written: Promise<void> = Promise.resolve();
  const dropped = { lines: 0, bytes: 0 };
  const write = async (): Promise<void> => {
    const lines = pending;
    const last = lines.at(-1)?.at ?? since;
    pending = [];
    if (lines.length > 0) {
      const missing = await ports.files.appendLog(slug, turn, lines);
      dropped.lines += missing.lines;
      dropped.bytes += missing.bytes;
    }
    if (last !== null && last !== journal.record.logSince) journal.observe({ logSince: last });
  };
  // One after another: each looks at how much room the last one left.
  const flush = (): Promise<void> => (written = written.catch(() => undefined).then(write));
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
          // Of a flood nothing is held once the log is full.
          if (dropped.lines === 0) pending.push(line);
          else {
            dropped.lines += 1;
            dropped.bytes += Buffer.byteLength(line.text);
          }
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
    if (dropped.lines > 0 && !signal.aborted) await ports.files.noteDroppedLog(slug, turn, dropped);
  }
}

export type LogPorts = Pick<HostPorts, 'files' | 'runtime' | 'provider' | 'log'>;

/**
 * Engine time of the last line in the turn's log. The log itself is asked, because the record is written seldom and
 * never in one step with it; the record helps out when the log is empty or full.
 */
async function writtenUntil(
  ports: LogPorts,
  slug: string,
  turn: number,
  journal: TurnJournal,
): Promise<string | null> {
  const log = await ports.files.readFile(slug, `turns/${String(turn)}/agent.log`);
  const lines = new TextDecoder().decode(log?.subarray(-TAIL_BYTES)).trimEnd();
  const time = /^\d{4}-\d\d-\d\dT\S+(?= )/.exec(lines.slice(lines.lastIndexOf('\n') + 1));
  return time?.[0] ?? journal.record.logSince;
}

/** Engine time of the last line of the turns before: the container is the same, and so is its log. */
async function endOfEarlier(ports: LogPorts, slug: string, turn: number): Promise<string | null> {
  for (let earlier = turn - 1; earlier > 0; earlier -= 1) {
    const record = await ports.files.readTurn(slug, earlier);
    if (record !== undefined && record.logSince !== null) return record.logSince;
  }
  return null;
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
