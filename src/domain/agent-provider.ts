export interface AgentLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A coding CLI: how it is started headless and where it keeps its session [S4]. */
export interface AgentProvider {
  readonly name: string;
  readonly image: string;
  /** Paths in the container that hold the session, for the transcript snapshot. */
  readonly sessionPaths: readonly string[];
  /** A session id chosen by us before the first turn, or `null` when the CLI chooses its own. */
  newSessionId(seed: string): string | null;
  /** Command line of one turn; the prompt comes on standard input. `resume` is the session to go on with. */
  launch(options: {
    readonly sessionId: string | null;
    readonly resume: boolean;
    readonly model: string | null;
    /** How much the model is to think, where the provider knows such a thing. */
    readonly variant: string | null;
  }): AgentLaunch;
  /** Session id seen in a line of the agent's output, if any. */
  sessionIdIn(line: string): string | undefined;
  isSessionId(text: string): boolean;
}
