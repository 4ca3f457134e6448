/** One turn of the agent, seen step by step in what it and its sidecar leave behind. */
import type { Feed } from './feed.js';
import { asObject, textOf } from './json.js';
import { outputOf, turnLogDirectory, TurnOutput, type AgentEvent } from './agent-output.js';
import { DemoError, until, type WaitOptions } from './wait.js';

export interface ToolResult {
  readonly at: number;
  readonly result: Readonly<Record<string, unknown>>;
  /** The message it was called with, if any. */
  readonly said: string;
}

export class TurnWatch {
  private readonly output: TurnOutput;

  constructor(
    home: string,
    slug: string,
    private readonly turn: number,
    feed: Feed,
    private readonly wait: WaitOptions,
    /** Calls that the story tells itself. */
    told: readonly string[],
  ) {
    const detail = (event: AgentEvent): void => {
      const text = told.includes(event.name) ? undefined : detailOf(event);
      if (text !== undefined) feed.add({ at: event.at, source: 'agent', text, step: false });
    };
    this.output = new TurnOutput(turnLogDirectory(home, slug, turn), detail, ({ at, outcome, text }) => {
      feed.add({ at, source: 'sidecar', text: `${text} (${outcome})`, step: false });
    });
  }

  /** The agent's first sign of life, and the session it says it is in. */
  async started(): Promise<{ readonly at: number; readonly sessionId: string }> {
    const init = await this.event('system', 'init', `the agent to start turn ${String(this.turn)}`);
    const first = this.output.find('system', 'first_instruction')?.fields['at'];
    return { at: typeof first === 'number' ? first : init.at, sessionId: textOf(init.fields['session_id']) };
  }

  /** The result of a tool call. Errors: `DemoError` when the call failed. */
  async result(tool: string): Promise<ToolResult> {
    const event = await this.event('tool_result', tool, `the agent's ${tool} in turn ${String(this.turn)}`);
    if (event.isError) throw new DemoError(`the agent's ${tool} failed: ${textOf(event.fields['error'])}`);
    const input = asObject(this.output.find('tool_use', tool)?.fields['input']);
    const result = asObject(event.fields['result']) ?? {};
    return { at: event.at, result, said: textOf(input?.['message']) };
  }

  /** A call as the sidecar wrote it into the operation log. */
  async operation(name: string): Promise<void> {
    const found = await this.until(`${name} in the sidecar's operation log`, () =>
      this.output.operations.find(({ operation }) => operation === name),
    );
    if (found.outcome !== 'ok') throw new DemoError(`the sidecar ${found.outcome} ${name}: ${found.text}`);
  }

  /** How many turns the session remembers, this one included. */
  async sessionTurns(): Promise<number> {
    const { fields } = await this.event('result', 'success', `the end of turn ${String(this.turn)}`);
    return Number(fields['num_turns']);
  }

  /** Tells what the logs have beyond what was waited for. */
  rest(): Promise<void> {
    return this.output.refresh();
  }

  private event(type: string, name: string, what: string): Promise<AgentEvent> {
    return this.until(what, () => this.output.find(type, name));
  }

  private until<T>(what: string, probe: () => T | undefined): Promise<T> {
    const looked = async (): Promise<T | undefined> => {
      await this.output.refresh();
      return probe();
    };
    return until(what, looked, this.wait);
  }
}

function detailOf(event: AgentEvent): string | undefined {
  const { type, name, fields } = event;
  if (type !== 'tool_result') return undefined;
  if (event.isError) return `${name} failed: ${textOf(fields['error'])}`;
  const said = outputOf(event);
  return said === '' ? name : `${name}: ${said}`;
}
