/** What an agent makes of the directory of its session, and what becomes of that. */
export interface SessionCase {
  readonly name: string;
  /** Run by the agent in its home, with `$S` for the path of its session; nothing is there. */
  readonly script: string;
  /** Whether a snapshot is kept, or why not. */
  readonly end: 'kept' | 'no session' | 'too large' | 'unreadable';
  /** Paths of the session, below its own. Default: that itself. */
  readonly paths?: readonly string[];
  /** Of what is kept, the engine refuses a part. */
  readonly isCut?: true;
}
