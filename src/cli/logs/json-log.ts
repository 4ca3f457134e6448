import type { AgentEvent, StreamReader } from '../../domain/agent/agent-stream.js';
import { isoTimeOf } from '../../domain/base/iso-time.js';
import type { LogEntry } from './follow-run.js';
import { parseLoggedLine } from './log-lines.js';
import type { RunLogs } from '../base/run-logs.js';

/** What `--json` prints: an object for each event, none for what says nothing. */
export class JsonLog {
  #reader: StreamReader | undefined;

  constructor(private readonly logs: Pick<RunLogs, 'reader'>) {}

  objectsOf(entry: LogEntry): readonly object[] {
    switch (entry.kind) {
      case 'turn_begun': {
        const { provider, begunAt, cause } = entry.facts;
        this.#reader = provider === null ? undefined : this.logs.reader(provider.name, provider.version);
        return [{ kind: 'turn_begun', turn: entry.turn, at: isoTimeOf(begunAt), cause, provider }];
      }
      case 'line':
        return this.#objectsOfLine(entry.turn, entry.line);
      case 'turn_ended': {
        const { end } = entry.facts;
        return end === null ? [] : [{ kind: 'turn_ended', turn: entry.turn, ...end, at: isoTimeOf(end.at) }];
      }
      case 'no_log':
      case 'waiting':
        return [];
    }
  }

  #objectsOfLine(turn: number, line: string): readonly object[] {
    const { at, stream, text } = parseLoggedLine(line);
    if (text.trim() === '') return [];
    const events: readonly AgentEvent[] = stream === 'host' ? [] : (this.#reader?.read(stream, text) ?? []);
    if (events.length === 0) return [{ kind: 'line', turn, at, stream, text }];
    return events
      .filter(({ kind }) => kind !== 'progress')
      .map(({ kind, ...event }) => ({ kind, turn, at, ...event }));
  }
}
