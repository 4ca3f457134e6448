/** What the scripted agent's `run` commands printed, from the log of its turn. */
export interface AgentRun {
  readonly command: string;
  readonly exit: number | string;
  readonly output: string;
}

interface Event {
  readonly type?: string;
  readonly name?: string;
  readonly input?: { readonly command?: string };
  readonly result?: { readonly exit: number | string; readonly output: string };
}

export function agentRuns(log: string): AgentRun[] {
  const runs: AgentRun[] = [];
  let command = '';
  for (const line of log.split('\n')) {
    const [, text] = /^\S+ stdout (\{.*\})$/.exec(line) ?? [];
    if (text === undefined) continue;
    const event = JSON.parse(text) as Event;
    if (event.name !== 'run') continue;
    if (event.type === 'tool_use') command = event.input?.command ?? '';
    else if (event.result !== undefined) runs.push({ command, ...event.result });
  }
  return runs;
}

/** Output of the one run whose command has this text. Errors: when there is none. */
export function outputOf(runs: readonly AgentRun[], text: string): string {
  const run = runs.find(({ command }) => command.includes(text));
  if (run === undefined) throw new Error(`the agent did not run "${text}": ${JSON.stringify(runs)}`);
  return run.output.trim();
}
