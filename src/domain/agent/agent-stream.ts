/**
 * What the output of a coding CLI says, in words that all of them share. All of it is the agent's own word: it is shown
 * and recorded as reported, and nothing that must be enforced stands on it.
 */

export type OutputStream = 'stdout' | 'stderr';

export type AgentEvent =
  /** The CLI's id of its session, as soon as it says one that may be one. */
  | { readonly kind: 'session'; readonly id: string }
  /** What the model says to people. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly id: string; readonly tool: string; readonly input: string }
  | { readonly kind: 'tool_result'; readonly id: string; readonly isError: boolean; readonly output: string }
  /** The CLI did not let the model use a tool. */
  | { readonly kind: 'denied'; readonly tool: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'usage'; readonly reported: ReportedUse }
  /** A sign of progress with nothing to show. */
  | { readonly kind: 'progress' }
  /** The end of the turn, as the CLI sees it. */
  | { readonly kind: 'end'; readonly outcome: AgentOutcome; readonly text: string };

/** Tokens and cost as a CLI prints them. */
export interface ReportedUse {
  readonly inputTokens: number;
  /** Of which were read from the provider's cache; 0 where the CLI does not say. */
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** US dollars; `null` where the CLI does not say. */
  readonly usd: number | null;
}

/**
 * How a turn went, by its output and exit code. `unknown_session`: the session to go on with is not there. `provider`: the
 * CLI says that the model's API refused or failed. `context_full`: the session does not fit into the model any more.
 * `not_understood`: plain text where events were due. `cut`: the stream ended in the middle. `empty`: no output at all.
 * `crashed`: a signal, or an exit code for which nothing was said. `stopped`: the orchestrator ended it. `failed`: the CLI
 * says so, without more.
 */
export type AgentOutcome =
  | 'finished'
  | 'unknown_session'
  | 'provider'
  | 'context_full'
  | 'not_understood'
  | 'cut'
  | 'empty'
  | 'crashed'
  | 'stopped'
  | 'failed';

/** What a turn's output amounted to. */
export interface StreamSummary {
  readonly outcome: AgentOutcome;
  /** The last error's text, at most 2,000 characters; empty without one. */
  readonly error: string;
  readonly sessionId: string | null;
  /**
   * What the CLI prints, as it prints it; `null` when it printed nothing. `turn` says whether the figures are of this turn
   * or of the whole session so far, each by itself.
   */
  readonly reported: {
    readonly use: ReportedUse;
    readonly tokensOf: 'turn' | 'session';
    readonly costOf: 'turn' | 'session';
  } | null;
  readonly toolCalls: number;
  readonly denials: number;
}

/** Reads the output of one turn as it comes. Never throws, whatever the line. */
export interface StreamReader {
  /** Events of a line; none for one that says nothing. @param line without its end; it may be cut anywhere */
  read(stream: OutputStream, line: string): readonly AgentEvent[];
  /** @param exitCode of the process; `stopped`: the orchestrator ended it */
  summary(exitCode: number, stopped: boolean): StreamSummary;
}
