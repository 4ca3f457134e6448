/** An issue's life on a test's Temporal server, over scripted activities: triggered, driven, looked at, ended. */
import type { Context } from '@temporalio/activity';
import { Client, type WorkflowClientInterceptor, type WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { OperatorCommand, RunEvent, SettledTurn } from '../../../src/domain/run/events.js';
import { DEFAULT_POLICY, type RunPolicy } from '../../../src/domain/run/run-policy.js';
import type { PublishResult, TurnResult } from '../../../src/domain/run/turn.js';
import {
  openPrUpdate,
  stateQuery,
  timelineQuery,
  type CommandAccepted,
  type RunView,
} from '../../../src/workflows/messages.js';
import { comment, done, observed, SUBJECT, wrote } from '../machine/world.js';
import { waitUntil } from '../stack/stack.js';
import { saveHistory, type History } from './histories.js';
import { ScriptedActivities, type Scripted } from './scripted-activities.js';
import { askForRun, order, send } from './send.js';
import { withSharedWorkers } from './shared-workers.js';
import type { AllActivities } from './time-skipping.js';

export const DONE: Partial<TurnResult> = { done };
export const CLOSED = observed({ readAt: 1_000, open: false, closedAt: 999 });

const PATIENCE_MS = 30_000;
/** Each query is a task of the worker that is tested. */
const QUERY_MS = 20;

export interface LifeOptions {
  /** What the turn's activity comes to; `DONE` where nothing is said. */
  readonly turn?: (
    life: IssueLife,
    input: RunTurnInput,
    activity: Context,
  ) => Partial<TurnResult> | Promise<Partial<TurnResult>>;
  /** Whether the host says first that the turn has begun, as it does when all goes well. */
  readonly begins?: (activity: Context) => boolean;
  readonly settle?: Partial<SettledTurn>;
  /** What the activities say from the start on. */
  readonly given?: Partial<Scripted>;
  /** In the place of scripted ones. */
  readonly activities?: (fake: ScriptedActivities) => Partial<AllActivities>;
  readonly policy?: Partial<RunPolicy>;
  /** Milliseconds that the server waits for a workflow task; the server's usual ten seconds where nothing is said. */
  readonly taskTimeoutMs?: number;
  /** The name under which its histories are kept, when histories are recorded. */
  readonly record?: string;
}

/** No other life of this process has it. */
let number = 100;

export class IssueLife {
  readonly subject = { ...SUBJECT, number: (number += 1) };
  readonly handle: WorkflowHandle;
  readonly fake: ScriptedActivities;
  readonly client: Client;
  /** Its first execution, once it was triggered. */
  firstRunId = '';

  constructor(
    readonly environment: TestWorkflowEnvironment,
    readonly options: LifeOptions = {},
  ) {
    const { turn = () => DONE, begins = () => true, settle = {}, given = {} } = options;
    this.client = environment.client;
    this.handle = this.client.workflow.getHandle(workflowIdOf(this.subject));
    this.fake = new ScriptedActivities(() => ({
      run: async (input, activity) => {
        if (begins(activity)) await this.began(input);
        return turn(this, input, activity);
      },
      settle,
    }));
    Object.assign(this.fake, given);
  }

  get activities(): AllActivities {
    return { ...this.fake.activities, ...this.options.activities?.(this.fake) };
  }

  /** An act on the forge asks for a run. */
  async trigger(): Promise<void> {
    const { policy, taskTimeoutMs: workflowTaskTimeout } = this.options;
    const client =
      workflowTaskTimeout === undefined ? this.client : withTaskTimeout(this.client, workflowTaskTimeout);
    await askForRun(client, this.subject, { ...DEFAULT_POLICY, ...policy });
    this.firstRunId ||= await this.runId();
  }

  /** The host says that the turn has begun. */
  began({ slug, turn }: Pick<RunTurnInput, 'slug' | 'turn'>): Promise<void> {
    return this.send({ kind: 'turn_started', slug, turn, at: 0 });
  }

  send(event: RunEvent): Promise<void> {
    return send(this.handle, event);
  }

  order(command: OperatorCommand): Promise<CommandAccepted> {
    return order(this.handle, command);
  }

  /** The agent's, in that turn. @param call two of them are the same request twice */
  openPr({ slug, turn }: Pick<RunTurnInput, 'slug' | 'turn'>, call = 'one'): Promise<PublishResult> {
    const request = { slug, turn, requestId: 'request1', contentRef: 'c'.repeat(64) };
    return this.handle.executeUpdate(openPrUpdate, { args: [request], updateId: call });
  }

  /** People write comments with these ids. */
  comments(...ids: readonly number[]): Promise<void> {
    return this.send(wrote(...ids.map(comment)));
  }

  view(): Promise<RunView> {
    return this.handle.query(stateQuery);
  }

  async timeline(): Promise<string[]> {
    return (await this.handle.query(timelineQuery)).map(({ what }) => what);
  }

  /** How many activities of that type the server was asked for; local ones are none. */
  async scheduled(type: string): Promise<number> {
    const { events } = await this.handle.fetchHistory();
    return (events ?? []).filter(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === type,
    ).length;
  }

  /** Waits for a state of the run. Errors: says where it stood when that takes too long. */
  async until(what: string, condition: (view: RunView) => boolean): Promise<RunView> {
    let view = await this.view();
    const isReached = async (): Promise<boolean> => condition((view = await this.view()));
    await waitUntil(what, isReached, PATIENCE_MS, QUERY_MS).catch((error: unknown) => {
      throw new Error(`${what} was not reached: ${JSON.stringify(view)}`, { cause: error });
    });
    return view;
  }

  frozen(turn = 1): Promise<RunView & { readonly slug: string }> {
    return this.withSlug(
      `turn ${String(turn)} frozen`,
      (view) => view.phase === 'frozen' && view.turn === turn,
    );
  }

  running(turn = 1): Promise<RunView & { readonly slug: string }> {
    return this.withSlug(
      `turn ${String(turn)} running`,
      (view) => view.phase === 'running' && view.turn === turn,
    );
  }

  /** The issue is closed; resolves with the result of the life, at its end. */
  async close(): Promise<unknown> {
    await this.send(CLOSED);
    return this.handle.result();
  }

  /** The operator destroys the run; resolves with the result of the life, at its end. */
  async destroy(): Promise<unknown> {
    const result: Promise<unknown> = this.handle.result();
    await Promise.all([result, this.order({ kind: 'destroy' })]);
    return result;
  }

  /** If it still lives. */
  async terminate(): Promise<void> {
    if ((await this.handle.describe()).status.name === 'RUNNING') await this.handle.terminate();
  }

  /** Its current execution. */
  async runId(): Promise<string> {
    return (await this.handle.describe()).runId;
  }

  /** Another execution than this one goes on with it; resolves with that one's id. */
  async continuedAsNew(earlier: string): Promise<string> {
    let now = earlier;
    const isAnother = async (): Promise<boolean> => (now = await this.runId()) !== earlier;
    await waitUntil('another execution', isAnother, PATIENCE_MS);
    return now;
  }

  /** Of the first and the current execution, which differ after continue-as-new. */
  async histories(): Promise<History[]> {
    const { workflowId } = this.handle;
    const runIds = [...new Set([this.firstRunId, await this.runId()])];
    return Promise.all(
      runIds.map((runId) => this.client.workflow.getHandle(workflowId, runId).fetchHistory()),
    );
  }

  private async withSlug(
    what: string,
    condition: (view: RunView) => boolean,
  ): Promise<RunView & { readonly slug: string }> {
    const view = await this.until(what, condition);
    if (view.slug === null) throw new Error(`${what}, but no slug`);
    return { ...view, slug: view.slug };
  }
}

function withTaskTimeout({ connection, options }: Client, workflowTaskTimeout: number): Client {
  const signalWithStart: WorkflowClientInterceptor['signalWithStart'] = (input, next) =>
    next({ ...input, options: { ...input.options, workflowTaskTimeout: msToTs(workflowTaskTimeout) } });
  const { namespace } = options;
  return new Client({ connection, namespace, interceptors: { workflow: [{ signalWithStart }] } });
}

/** A life that is triggered, then driven by the test. */
export function withLife(
  environment: TestWorkflowEnvironment,
  options: LifeOptions,
  work: (life: IssueLife) => Promise<void>,
): Promise<void> {
  const life = new IssueLife(environment, options);
  return served(life, async () => {
    await life.trigger();
    await work(life);
  });
}

/**
 * What the life's workflow calls is answered meanwhile; if it still lives afterwards, it is terminated. With
 * BOT_BOTTLE_RECORD_HISTORIES its histories become those that are replayed on every run.
 */
export async function served(life: IssueLife, work: () => Promise<void>): Promise<void> {
  const { environment, handle, activities, options } = life;
  await withSharedWorkers(environment, handle.workflowId, activities, async () => {
    try {
      await work();
    } finally {
      await life.terminate();
    }
  });
  if (options.record === undefined || process.env['BOT_BOTTLE_RECORD_HISTORIES'] === undefined) return;
  for (const [index, history] of (await life.histories()).entries())
    await saveHistory(`${options.record}-${String(index + 1)}`, history);
}
