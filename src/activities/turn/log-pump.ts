import { setTimeout as delay } from 'node:timers/promises';
import type { StreamReader } from '../../domain/agent/agent-stream.js';
import { positionAt, type LogLine, type LogPosition } from '../../domain/bottle/bottle-runtime.js';
import { SetAsideError } from '../../domain/run/under-way.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { stepOfTurn } from '../base/work-of-run.js';
import { isGone } from '../base/is-gone.js';
import type { TurnJournal } from './turn-journal.js';

const FLUSH_MS = 250;
const RETRY_MS = 1_000;

export interface PumpLink {
  /** Stop following. */
  readonly signal: AbortSignal;
  /** What was printed while nobody watched has been read, or will not be. */
  readonly onCaughtUp: () => void;
  /** Reading it killed worker after worker: the turn is over. */
  readonly onSetAside: () => void;
}

/**
 * Follows the agent's output into the turn's log until the container stops; a parsed event on its stream is a
 * check-in. After a restart it goes on behind the last line of the log: no line is lost, none is there twice.
 */
export async function pumpLogs(
  ports: LogPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  reader: StreamReader,
  link: PumpLink,
): Promise<void> {
  const { slug, turn } = input;
  const work = stepOfTurn(input, 'read');
  try {
    // A line that killed a worker is among those that are there: who is through with them is acquitted of that crash.
    const { followed } = await ports.underWay.during(work, async () => {
      let caughtUp = (): void => undefined;
      const isCaughtUp = new Promise<void>((resolve) => (caughtUp = resolve));
      const followed = follow(ports, input, journal, reader, link.signal, caughtUp);
      await Promise.race([isCaughtUp, followed]);
      return { followed };
    });
    link.onCaughtUp();
    await ports.underWay.during(work, () => followed);
  } catch (error) {
    if (!(error instanceof SetAsideError)) throw error;
    ports.log.warn({ slug, turn, err: error }, 'the output of the agent is not read any more');
    await journal.decide({ setAside: journal.record.setAside ?? error.message });
    await ports.files.noteMissingLog(slug, turn, { lines: 0, bytes: 0, mayHaveGap: true });
    link.onSetAside();
  } finally {
    link.onCaughtUp();
  }
}

async function follow(
  ports: LogPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  reader: StreamReader,
  signal: AbortSignal,
  onCaughtUp: () => void,
): Promise<void> {
  const { slug, turn } = input;
  let pending: LogLine[] = [];
  let seen = await readWritten(ports, slug, turn, journal, reader);
  let written: Promise<void> = Promise.resolve();
  const dropped = { lines: 0, bytes: 0 };
  let mayHaveGap = false;
  /** A disk that failed for a moment lost lines. */
  let isCut = false;
  const write = async (): Promise<void> => {
    const lines = pending;
    pending = [];
    if (lines.length > 0) {
      const missing = await ports.files.appendLog(slug, turn, lines).catch((error: unknown) => {
        isCut = true;
        throw error;
      });
      dropped.lines += missing.lines;
      dropped.bytes += missing.bytes;
    }
  };
  // One after another: each looks at how much room the last one left.
  const flush = (): Promise<void> => (written = written.catch(() => undefined).then(write));
  const timer = setInterval(() => {
    flush().catch((error: unknown) => {
      ports.log.warn({ slug, err: error }, 'agent log not written');
    });
  }, FLUSH_MS);
  const onLine = (line: LogLine): void => {
    seen = { ...seen, [line.stream]: line.at };
    // Of a flood nothing is held once the log is full.
    if (dropped.lines === 0) pending.push(line);
    else {
      dropped.lines += 1;
      dropped.bytes += Buffer.byteLength(line.text);
    }
    const events = reader.read(line.stream, line.text);
    if (events.length === 0) return;
    journal.checkIn();
    for (const event of events)
      if (event.kind === 'session' && event.id !== journal.record.sessionId)
        journal.observe({ sessionId: event.id });
  };
  // A turn that has just begun has no past: that saves the engine a request.
  if (!journal.resumed) onCaughtUp();
  const whenCaughtUp = journal.resumed ? (): void => void flush().then(onCaughtUp, onCaughtUp) : undefined;
  try {
    for (;;) {
      try {
        ({ mayHaveGap } = await ports.runtime.followLogs(slug, 'agent', seen, signal, onLine, whenCaughtUp));
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (await isGone(ports.runtime, slug, 'agent')) return;
        ports.log.warn({ slug, err: error }, 'log stream broke; following again');
        // Nothing can be read now: the turn's messages and, after a crash, all other runs would wait for it in vain.
        onCaughtUp();
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    clearInterval(timer);
    await flush();
    mayHaveGap ||= isCut;
    if ((mayHaveGap || dropped.lines > 0) && !signal.aborted)
      await ports.files.noteMissingLog(slug, turn, { ...dropped, mayHaveGap });
  }
}

export type LogPorts = Pick<HostPorts, 'files' | 'runtime' | 'log' | 'underWay'>;

/**
 * Behind what is in the turn's log, after the reader has been given that; without a line of its own, a stream begins
 * where the turn did.
 */
async function readWritten(
  ports: LogPorts,
  slug: string,
  turn: number,
  journal: TurnJournal,
  reader: StreamReader,
): Promise<LogPosition> {
  const log = await ports.files.readFile(slug, `turns/${String(turn)}/agent.log`);
  const seen: Record<LogLine['stream'], string | null> = { ...positionAt(journal.record.logSince) };
  for (const line of linesOf(log)) {
    const [, at, name, text] = LOGGED.exec(line) ?? [];
    if (at === undefined || text === undefined) continue;
    const stream = name === 'stderr' ? 'stderr' : 'stdout';
    seen[stream] = at;
    reader.read(stream, text);
  }
  return seen;
}

const LOGGED = /^(\d{4}-\d\d-\d\dT\S+) (stdout|stderr) (.*)$/;

/** Without one text of the whole, which may have 64 MiB; a last line that a crash has cut is none. */
function* linesOf(log: Uint8Array | undefined): Generator<string> {
  const bytes = log === undefined ? Buffer.alloc(0) : Buffer.from(log.buffer, log.byteOffset, log.byteLength);
  let from = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
    yield bytes.toString('utf8', from, end);
    from = end + 1;
  }
}
