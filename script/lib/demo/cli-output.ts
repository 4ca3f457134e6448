/** What a real CLI and its sidecar said, turn by turn, from the logs that the worker keeps. */
import { join } from 'node:path';
import type { AgentProvider } from '../../../src/domain/agent/agent-provider.js';
import type { AgentEvent, StreamReader } from '../../../src/domain/agent/agent-stream.js';
import { operationOf, turnLogDirectory } from './agent-output.js';
import type { Feed } from './feed.js';
import { TailedFile } from './tail-file.js';

interface TurnLogs {
  readonly agent: TailedFile;
  readonly operations: TailedFile;
  readonly reader: StreamReader;
}

export interface SeenSession {
  /** Epoch milliseconds, the engine's clock. */
  readonly at: number;
  readonly id: string;
}

export class CliOutput {
  /** By turn. */
  readonly sessions = new Map<number, SeenSession>();
  /** What the CLI said went wrong, the last of it; empty without an error. */
  lastError = '';
  private readonly turns: TurnLogs[] = [];

  constructor(
    private readonly home: string,
    private readonly slug: string,
    private readonly provider: AgentProvider,
    private readonly feed: Feed,
  ) {}

  /** Tells what is new in the logs of the turns up to this one. */
  async refresh(turn: number): Promise<void> {
    while (this.turns.length < turn) this.turns.push(this.logsOf(this.turns.length + 1));
    for (const [index, logs] of this.turns.entries()) {
      for (const line of await logs.agent.read()) this.agentLine(index + 1, logs.reader, line);
      for (const line of await logs.operations.read()) this.operationLine(line);
    }
  }

  private logsOf(turn: number): TurnLogs {
    const directory = turnLogDirectory(this.home, this.slug, turn);
    return {
      agent: new TailedFile(join(directory, 'agent.log')),
      operations: new TailedFile(join(directory, 'operations.jsonl')),
      reader: this.provider.reader(),
    };
  }

  /** `<time> <stream> <text>`, see appendAgentLog. */
  private agentLine(turn: number, reader: StreamReader, line: string): void {
    const [, time = '', stream, text = ''] = /^(\S+) (stdout|stderr) (.*)$/.exec(line) ?? [];
    const at = Date.parse(time);
    if (Number.isNaN(at)) return;
    for (const event of reader.read(stream === 'stderr' ? 'stderr' : 'stdout', text)) {
      if (event.kind === 'session' && !this.sessions.has(turn)) this.sessions.set(turn, { at, id: event.id });
      if (event.kind === 'error') this.lastError = oneLine(event.text);
      const told = detailOf(event);
      if (told !== undefined) this.feed.add({ at, source: 'agent', text: told, step: false });
    }
  }

  private operationLine(line: string): void {
    const operation = operationOf(line);
    if (operation === undefined) return;
    const { at, text, outcome } = operation;
    this.feed.add({ at, source: 'sidecar', text: `${text} (${outcome})`, step: false });
  }
}

function detailOf(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'text':
      return oneLine(`says: ${event.text}`);
    case 'tool_call':
      return oneLine(`${event.tool} ${event.input}`);
    case 'tool_result':
      return event.isError ? oneLine(`the tool failed: ${event.output}`) : undefined;
    case 'denied':
      return `may not use ${event.tool}`;
    case 'error':
      return oneLine(`error: ${event.text}`);
    default:
      return undefined;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
