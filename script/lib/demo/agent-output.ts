/** What the scripted agent said in one turn, read from the log that the worker keeps of its container's output. */
import { join } from 'node:path';
import { asObject, objectOf, textOf } from './json.js';
import { TailedFile } from './tail-file.js';

export interface AgentEvent {
  /** Epoch milliseconds, the engine's clock. */
  readonly at: number;
  readonly type: string;
  /** `subtype`, or a tool's name. */
  readonly name: string;
  readonly isError: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One call that the sidecar served or refused. */
export interface Operation {
  readonly at: number;
  readonly operation: string;
  readonly outcome: string;
  readonly text: string;
}

export function turnLogDirectory(home: string, slug: string, turn: number): string {
  return join(home, 'state', slug, 'turns', String(turn));
}

/** Follows both logs of a turn; `onEvent` and `onOperation` are called once for each. */
export class TurnOutput {
  readonly events: AgentEvent[] = [];
  readonly operations: Operation[] = [];
  private readonly agentLog: TailedFile;
  private readonly operationLog: TailedFile;

  constructor(
    directory: string,
    private readonly onEvent: (event: AgentEvent) => void,
    private readonly onOperation: (operation: Operation) => void,
  ) {
    this.agentLog = new TailedFile(join(directory, 'agent.log'));
    this.operationLog = new TailedFile(join(directory, 'operations.jsonl'));
  }

  async refresh(): Promise<void> {
    for (const line of await this.agentLog.read()) {
      const event = agentEvent(line);
      if (event === undefined) continue;
      this.events.push(event);
      this.onEvent(event);
    }
    for (const line of await this.operationLog.read()) {
      const operation = operationOf(line);
      if (operation === undefined) continue;
      this.operations.push(operation);
      this.onOperation(operation);
    }
  }

  find(type: string, name: string): AgentEvent | undefined {
    return this.events.find((event) => event.type === type && event.name === name);
  }
}

/** `<time> <stream> <text>`, see appendAgentLog. */
function agentEvent(line: string): AgentEvent | undefined {
  const match = /^(\S+) stdout (\{.*)$/.exec(line);
  const fields = objectOf(match?.[2] ?? '');
  const at = Date.parse(match?.[1] ?? '');
  if (fields === undefined || Number.isNaN(at)) return undefined;
  const type = textOf(fields['type']);
  return {
    at,
    type,
    name: textOf(fields['name'] ?? fields['subtype']),
    isError: fields['is_error'] === true,
    fields,
  };
}

/** A line of a turn's operation log. */
export function operationOf(line: string): Operation | undefined {
  const fields = objectOf(line);
  if (fields === undefined) return undefined;
  const { at } = fields;
  return {
    at: typeof at === 'number' ? at : Date.now(),
    operation: textOf(fields['operation']),
    outcome: textOf(fields['outcome']),
    text: textOf(fields['text']),
  };
}

/** The first line of what a tool call gave back. */
export function outputOf(event: AgentEvent): string {
  return textOf(asObject(event.fields['result'])?.['output']).split('\n')[0] ?? '';
}
