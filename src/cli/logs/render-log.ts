import type { AgentEvent, ReportedUse, StreamReader } from '../../domain/agent/agent-stream.js';
import { isoTimeOf } from '../../domain/base/iso-time.js';
import { escapeTerminal, escapeTerminalLines } from '../../domain/text/escape.js';
import { tokensOf, type ModelUse } from '../../domain/run/model-use.js';
import type { LogEntry } from './follow-run.js';
import { parseLoggedLine, type LoggedLine } from './log-lines.js';
import type { RunLogs, TurnEnd, TurnFacts } from '../base/run-logs.js';
import { wrap } from '../base/wrap.js';

export interface Look {
  /** Of the terminal; `null` where nothing is wrapped. */
  readonly columns: number | null;
  readonly colors: boolean;
}

const MAX_INPUT = 200;
const MAX_RESULT_LINES = 6;
const MAX_RESULT = 800;
const MAX_ERROR_LINES = 20;
const MAX_ERROR = 3_000;
const TIME_WIDTH = 10;
const LABEL_WIDTH = 10;
const NARROWEST = 20;

const STYLES = { dim: '2', bold: '1', red: '31', yellow: '33', cyan: '36' } as const;
type Style = keyof typeof STYLES;

interface Block {
  readonly label: string;
  readonly text: string;
  readonly style?: Style;
}

/** Makes text for people of a run's logs, a block an event. Everything in there is escaped. */
export class LogRenderer {
  #reader: StreamReader | undefined;
  #used: ReportedUse | null = null;
  #session: string | null = null;
  /** What the model said last: a CLI repeats it at the end. */
  #said = '';

  constructor(
    private readonly logs: Pick<RunLogs, 'reader'>,
    private readonly look: () => Look,
  ) {}

  render(entry: LogEntry): string {
    switch (entry.kind) {
      case 'turn_begun':
        return this.#begun(entry.turn, entry.facts);
      case 'line':
        return this.#line(parseLoggedLine(entry.line));
      case 'no_log':
        return this.#note('nothing of its output is kept here');
      case 'turn_ended':
        return entry.facts.end === null ? '' : this.#ended(entry.turn, entry.facts.end);
      case 'waiting':
        return this.#note('waiting for the next turn');
    }
  }

  #begun(turn: number, { provider, begunAt, cause }: TurnFacts): string {
    this.#reader = provider === null ? undefined : this.logs.reader(provider.name, provider.version);
    this.#used = null;
    this.#session = null;
    this.#said = '';
    const name = provider === null ? null : [provider.name, provider.version ?? ''].join(' ').trim();
    const words = [
      `turn ${String(turn)} began`,
      ...(begunAt === null ? [] : [timeOf(begunAt)]),
      ...(cause === null ? [] : [cause]),
      ...(name === null ? [] : [name]),
    ];
    const head = this.#rule(words.join(', '));
    if (this.#reader !== undefined) return head;
    return head + this.#note(`no reader for ${name ?? 'its provider'}: its lines as they are`);
  }

  #line(line: LoggedLine): string {
    if (line.text.trim() === '') return '';
    if (line.stream === 'host') return this.#block(null, { label: 'host', text: line.text, style: 'yellow' });
    const events = this.#reader?.read(line.stream, line.text) ?? [];
    if (events.length > 0) return events.map((event) => this.#event(line.at, event)).join('');
    const label = line.stream === 'stderr' ? 'stderr' : 'output';
    return this.#block(line.at, { label, text: line.text });
  }

  #event(at: string | null, event: AgentEvent): string {
    const block = this.#blockOf(event);
    return block === undefined ? '' : this.#block(at, block);
  }

  #blockOf(event: AgentEvent): Block | undefined {
    switch (event.kind) {
      case 'session':
        if (event.id === this.#session) return undefined;
        this.#session = event.id;
        return { label: 'session', text: event.id, style: 'dim' };
      case 'text':
        this.#said = event.text.trim();
        return { label: 'text', text: event.text };
      case 'thinking':
        return { label: 'thinking', text: event.text, style: 'dim' };
      case 'tool_call':
        return { label: 'tool', text: inShort(`${event.tool} ${event.input}`), style: 'cyan' };
      case 'tool_result':
        return event.isError
          ? { label: 'FAILED', text: beginningOf(event.output, MAX_ERROR_LINES, MAX_ERROR), style: 'red' }
          : { label: 'result', text: beginningOf(event.output, MAX_RESULT_LINES, MAX_RESULT), style: 'dim' };
      case 'denied':
        return { label: 'DENIED', text: event.tool, style: 'yellow' };
      case 'error':
        return { label: 'ERROR', text: event.text, style: 'red' };
      case 'usage':
        this.#used = event.reported;
        return undefined;
      case 'progress':
        return undefined;
      case 'end': {
        const isFine = event.outcome === 'finished';
        const text = event.text.trim() === this.#said ? '' : `: ${event.text}`;
        return {
          label: 'end',
          text: event.outcome + (event.text === '' ? '' : text),
          style: isFine ? 'dim' : 'red',
        };
      }
    }
  }

  #ended(turn: number, end: TurnEnd): string {
    const isFine = end.exitCode === 0 && (end.outcome === null || end.outcome === 'finished');
    const words = [
      `turn ${String(turn)} ended`,
      timeOf(end.at),
      ...(end.reason === null ? [] : [end.reason]),
      ...(end.done === null ? [] : [`the agent says ${end.done}`]),
      ...(end.stopped === null ? [] : [`stopped: ${end.stopped}`]),
      ...(end.outcome === null ? [] : [`output: ${end.outcome}`]),
      ...(end.exitCode === null ? [] : [`exit code ${String(end.exitCode)}`]),
    ];
    const reported = end.reported ?? this.#used;
    return (
      this.#rule(words.join(', '), isFine ? 'bold' : 'red') +
      (end.metered === null ? '' : this.#plain(`metered:  ${meteredText(end.metered)}`)) +
      (reported === null ? '' : this.#plain(`reported: ${reportedText(reported)}`)) +
      '\n'
    );
  }

  /** Time and label in columns of their own, the text beside them. */
  #block(at: string | null, { label, text, style }: Block): string {
    const { columns } = this.look();
    const indent = TIME_WIDTH + LABEL_WIDTH;
    const width = columns === null ? Infinity : Math.max(NARROWEST, columns - indent);
    const lines = escapeTerminalLines(text.trimEnd())
      .split('\n')
      .flatMap((line) => wrap(line.replaceAll('\t', '    '), width));
    const time = this.#paint((at?.slice(11, 19) ?? '').padEnd(TIME_WIDTH), 'dim');
    return lines
      .map((line, index) => {
        const margin =
          index === 0 ? time + this.#paint(label.padEnd(LABEL_WIDTH), style) : ' '.repeat(indent);
        return `${margin}${this.#paint(line, style)}`.trimEnd() + '\n';
      })
      .join('');
  }

  #rule(text: string, style: Style = 'bold'): string {
    return `${this.#paint(`== ${escapeTerminal(text)}`, style)}\n`;
  }

  #plain(text: string): string {
    return `   ${escapeTerminal(text)}\n`;
  }

  #note(text: string): string {
    return `${this.#paint(`   (${escapeTerminal(text)})`, 'dim')}\n`;
  }

  #paint(text: string, style: Style | undefined): string {
    if (style === undefined || !this.look().colors || text === '') return text;
    return `\u001b[${STYLES[style]}m${text}\u001b[0m`;
  }
}

function inShort(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_INPUT ? `${line.slice(0, MAX_INPUT)}…` : line;
}

/** What comes first of it, and how much there is more. */
function beginningOf(text: string, maxLines: number, maxCharacters: number): string {
  const whole = text.trimEnd();
  const shown = whole.slice(0, maxCharacters).split('\n').slice(0, maxLines).join('\n');
  const left = whole.length - shown.length;
  return left === 0 ? whole || '(nothing)' : `${shown}\n… ${String(left)} more characters`;
}

function timeOf(epochMs: number): string {
  const time = isoTimeOf(epochMs);
  return time === null ? '' : `${time.slice(0, 19)}Z`;
}

function meteredText(use: ModelUse): string {
  const { requests, failed, cacheReadTokens, outputTokens, microUsd } = use;
  const input = tokensOf(use) - outputTokens;
  const answers = `${count(requests)} requests answered${failed === 0 ? '' : `, ${count(failed)} not`}`;
  return `${tokens(input, cacheReadTokens, outputTokens)}, $${(microUsd / 1e6).toFixed(4)}, ${answers}`;
}

/** The agent's own word. */
function reportedText({ inputTokens, cachedTokens, outputTokens, usd }: ReportedUse): string {
  return `${tokens(inputTokens, cachedTokens, outputTokens)}${usd === null ? '' : `, $${usd.toFixed(4)}`}`;
}

function tokens(input: number, cached: number, output: number): string {
  const of = cached === 0 ? '' : ` (${count(cached)} from the cache)`;
  return `${count(input)} tokens in${of}, ${count(output)} out`;
}

/** Thousands apart, whatever the machine's language. */
function count(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
