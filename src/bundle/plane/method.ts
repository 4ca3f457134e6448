import type { Forge } from '../../domain/forge/forge.js';
import type { ProposalOutcome, PublishAnswer } from '../../domain/run/queue.js';
import type { DoneStatus } from '../../domain/run/turn.js';
import type { ProposalTool, ProposedFile } from '../../domain/supervise/proposal.js';
import { jsonSchemaOf, parseParams, type ParamsOf, type ParamsSpec } from './params.js';
import type { CallKind } from './rate-limit.js';
import type { TextGate } from './text-gate.js';

/** The part of a forge an agent may reach at all; nothing else of the port can be called through the sidecar. */
export type AgentForge = Pick<
  Forge,
  | 'readIssue'
  | 'readPr'
  | 'readComments'
  | 'readReviews'
  | 'readDiff'
  | 'readChecks'
  | 'postComment'
  | 'updateDescription'
>;

/** What the methods act on. Nothing in here widens the scope. */
export interface MethodContext {
  readonly forge: AgentForge & {
    readonly issue: number;
    readonly writable: readonly number[];
    isOwnPr(number: number): boolean;
  };
  readonly publisher: { openPr(title: string, body: string): Promise<PublishAnswer> };
  /** Of this call alone. */
  readonly texts: TextGate;
  readonly proposals: { propose(tool: ProposalTool, proposed: ProposedFile): Promise<ProposalOutcome> };
  readonly doneSignal: { signal(status: DoneStatus, summary: string): Promise<void> };
  /** Where the forge's pages are; its images stay images in what is posted. */
  readonly forgePages: string | null;
  /** The mark that makes a comment idempotent within the turn. */
  commentMarker(number: number, body: string): string;
}

/** How a call is told in the operation log. */
export interface CallStory {
  /** `#12`, `PR #318`, or empty. */
  readonly target: string;
  /** "read PR #318": what was done. */
  readonly did: string;
  /** "comment on #9": what was tried, after "refused" or "failed". */
  readonly attempt: string;
  /** Told of a call that the end of the turn cut off, when what it asked for is not lost by that. */
  readonly passedOn?: string;
}

export interface MethodResult {
  /** JSON, the method's answer. */
  readonly result: unknown;
  /** Told instead of `did`. */
  readonly did?: string;
  readonly refused?: string;
}

/** What a method is to its callers. */
interface MethodHead {
  readonly name: string;
  /** For the agent: what it does, what it answers. */
  readonly description: string;
  readonly kind: Exclude<CallKind, 'unknown'>;
  /** Of a method with short results: they are structured content too. */
  readonly structured?: {
    /** JSON Schema of the results. */
    readonly schema: Readonly<Record<string, unknown>>;
    /** Such a result in a line, for clients that show texts only. */
    readonly inWords: (result: unknown) => string;
  };
}

interface MethodSpec<S extends ParamsSpec> extends MethodHead {
  readonly params: S;
  readonly story: (params: ParamsOf<S>) => CallStory;
  readonly run: (params: ParamsOf<S>, context: MethodContext) => Promise<MethodResult>;
}

/** A call whose parameters are good. */
export interface PreparedCall {
  readonly story: CallStory;
  run(context: MethodContext): Promise<MethodResult>;
}

/** One row of the method table, its parameter types closed over. */
export interface Method extends MethodHead {
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Errors: `JsonRpcError` -32602. */
  prepare(params: unknown): PreparedCall;
}

export function defineMethod<const S extends ParamsSpec>(spec: MethodSpec<S>): Method {
  const { params: paramsSpec, story, run, ...head } = spec;
  return {
    ...head,
    inputSchema: jsonSchemaOf(paramsSpec),
    prepare: (given) => {
      const params = parseParams(paramsSpec, given);
      return { story: story(params), run: (context) => run(params, context) };
    },
  };
}
