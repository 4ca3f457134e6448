/** Carries out what the machine wants and feeds what comes of it back: the only place that starts activities and timers. */
import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import type { PrepareTurnInput, PublishInput, RunRef, SettleTurnInput } from '../activities/ports/inputs.js';
import type { MachineEvent } from '../domain/run/events.js';
import type { PublishResult, TurnCause } from '../domain/run/turn.js';
import * as activities from './activities.js';
import { failureReason, isFinal, isLostTurn, isPassing } from './activity-failures.js';
import { bottlesQueue, turnsQueue } from './messages.js';
import { claimHost } from './claim-host.js';
import { hereOrQueued } from './here-or-queued.js';
import { offerToHost, offerUntilSilent, type TakenWithin } from './offer-to-host.js';
import type { MachineCommand } from './run/commands.js';
import { RowWriter } from './row-writer.js';
import { RunTimers } from './run-timers.js';
import { takeIntoEffect, type ChangeCommand } from './take-into-effect.js';
import { LeftBehindError, StepsUnderWay } from './steps-under-way.js';
import { Teller } from './teller.js';

type WatchCommand = Extract<MachineCommand, { kind: 'run_turn' | 'attach_turn' }>;

export class CommandRunner {
  private readonly steps: StepsUnderWay;
  private readonly timers: RunTimers;
  private turnScope: CancellationScope | undefined;
  private readonly teller = new Teller();
  private readonly rows: RowWriter;

  /**
   * @param feed takes what came of a command
   * @param isEnding whether the run is to end: then nothing is waited for without end
   * @param hostSilentMs as in the run's policy
   */
  constructor(
    private readonly feed: (event: MachineEvent) => void,
    private readonly isEnding: () => boolean,
    private readonly hostSilentMs: () => number,
  ) {
    this.steps = new StepsUnderWay(isEnding);
    this.timers = new RunTimers(feed);
    this.rows = new RowWriter(feed);
  }

  /** Rows asked for so far are written. */
  async settledRows(): Promise<void> {
    await this.rows.written;
  }

  /** As `Teller` has it. */
  get isTelling(): boolean {
    return this.teller.isBusy;
  }

  run(command: MachineCommand): void {
    switch (command.kind) {
      case 'claim_host':
        return this.claim(command.turn, command.moved);
      case 'prepare_turn':
        return this.prepare(command.input);
      case 'run_turn':
      case 'attach_turn':
        return this.watch(command);
      case 'stop_turn':
        return this.turnScope?.cancel();
      case 'end_step':
        return this.steps.end();
      case 'leave_host':
        return this.steps.leave();
      case 'settle_turn':
        return this.settle(command.host, command.input);
      case 'arm_watchdog':
        return this.timers.armWatchdog(command.turn, command.ms);
      case 'disarm_watchdog':
        return this.timers.disarmWatchdog();
      case 'arm_resume':
        return this.timers.armResume(command.at);
      case 'disarm_resume':
        return this.timers.disarmResume();
      case 'ask_checkin':
        return this.askCheckin(command.host, command.run);
      case 'record_turn':
      case 'record_state':
      case 'record_command':
      case 'record_proposal':
      case 'record_decision':
      case 'record_end':
        return this.rows.write(command);
      case 'check_change':
      case 'apply_change':
      case 'rebuild_image':
        return this.takeIntoEffect(command);
      case 'archive':
        return this.archive(command.host, command.run);
      case 'destroy':
        return this.destroy(command);
      case 'tell_frozen':
      case 'tell_checks_stopped':
        return this.teller.tell(command);
    }
  }

  private claim(turn: number, moved: RunRef | null): void {
    this.start('claim', turn, () => claimHost(moved));
  }

  private prepare(input: PrepareTurnInput): void {
    const { turn, cause } = input;
    const options = { summary: `prepare turn ${String(turn)} (${cause.kind})` };
    this.start('prepare', turn, async () => {
      await this.rows.written;
      const outcome = await hereOrQueued(
        () => activities.promptly.prepareTurn.executeWithOptions(options, [input]),
        () => activities.home.prepareTurn.executeWithOptions(options, [input]),
      );
      return { kind: 'prepare_ended', turn, outcome };
    });
  }

  private watch({ kind, host, input, cause, told }: WatchCommand): void {
    const { turn } = input;
    const summary = `turn ${String(turn)}: ${about(cause, told)} (${input.prepared.provider})`;
    const watching = this.steps.run(() => {
      const scope = new CancellationScope();
      this.turnScope = scope;
      return scope.run(() => {
        const { launchBottle, rehydrateBottle } = activities.turns;
        const { reattachBottle } = activities.attachments;
        const begin = turn === 1 ? launchBottle : rehydrateBottle;
        const taskQueue = kind === 'attach_turn' ? bottlesQueue(host) : turnsQueue(host);
        return this.onHost(host, input, (limit) =>
          (kind === 'attach_turn' ? reattachBottle : begin).executeWithOptions(
            { taskQueue, summary, ...limit },
            [input],
          ),
        );
      });
    });
    const failed = (error: unknown): MachineEvent => {
      // Cancelled while nobody watched: the container must still be stopped and collected.
      const unwatched = kind === 'attach_turn' && isCancellation(error);
      if (unwatched || isLostTurn(error)) return { kind: 'turn_lost', turn, reason: null };
      const reason = failureReason(error);
      // It cannot be watched to its end now; attaching is tried for as long as it takes.
      if (isPassing(error)) return { kind: 'turn_lost', turn, reason };
      return { kind: 'step_failed', step: 'run', turn, reason };
    };
    this.follow(watching, (result) => ({ kind: 'turn_finished', turn, result }), failed);
  }

  private settle(host: string, input: SettleTurnInput): void {
    const { turn } = input;
    const summary = `turn ${String(turn)}: collect, publish, snapshot`;
    const options = { taskQueue: bottlesQueue(host), summary };
    this.start('settle', turn, async () => {
      const settled = await this.onHost(host, input, (limit) =>
        activities.settling.freezeBottle.executeWithOptions({ ...options, ...limit }, [input]),
      );
      return { kind: 'settled', turn, settled };
    });
  }

  private archive(host: string, run: RunRef): void {
    const options = { taskQueue: bottlesQueue(host), summary: `put containers of ${run.slug} away` };
    this.follow(
      this.steps.run(() => activities.archiving.archiveBottle.executeWithOptions(options, [run])),
      () => ({ kind: 'archive_ended', failure: null }),
      (error) => ({ kind: 'archive_ended', failure: failureReason(error) }),
    );
  }

  private destroy({ host, input }: Extract<MachineCommand, { kind: 'destroy' }>): void {
    // Nothing was ever launched.
    if (host === null)
      return void Promise.resolve().then(() => {
        this.feed({ kind: 'destroyed' });
      });
    const options = { taskQueue: bottlesQueue(host), summary: `destroy ${input.slug}` };
    this.start('destroy', input.turn, async () => {
      await this.rows.written;
      const destroyBottle = (limit: TakenWithin): Promise<void> =>
        activities.destroying.destroyBottle.executeWithOptions({ ...options, ...limit }, [input]);
      // By the host's own sweep.
      const then = 'what it has of the run goes when it is back';
      await offerUntilSilent(host, input.slug, this.hostSilentMs(), destroyBottle, then);
      return { kind: 'destroyed' };
    });
  }

  /** Does a step of a turn on its host; the run says so while nobody there takes it, and goes on when somebody does. */
  private onHost<T>(
    host: string,
    { turn, slug }: RunRef,
    offer: (limit: TakenWithin) => Promise<T>,
  ): Promise<T> {
    return offerToHost(host, slug, this.hostSilentMs(), offer, async (since, answers) => {
      this.feed({ kind: 'host_silent', turn, since });
      await answers();
      this.feed({ kind: 'host_back', turn });
    });
  }

  /** The agent's `open_pr`. An agent that asked is answered in the end: what fails or takes too long is a refusal. */
  async publish(host: string, input: PublishInput): Promise<PublishResult> {
    const summary = `open_pr ${input.requestId}`;
    const options = { taskQueue: bottlesQueue(host), summary };
    const beside = { ...input, host, taskBeganAt: Date.now() };
    try {
      return await this.steps.run(() =>
        hereOrQueued(
          () => activities.promptly.publishHere.executeWithOptions({ summary }, [beside]),
          () => activities.gate.publishWork.executeWithOptions(options, [input]),
        ),
      );
    } catch (error) {
      if (this.isEnding()) return { kind: 'refused', reason: 'the run is ending' };
      if (error instanceof LeftBehindError) return { kind: 'refused', reason: error.message };
      if (!(error instanceof ActivityFailure || isFinal(error)) || isCancellation(error)) throw error;
      return { kind: 'refused', reason: `the publish gate failed: ${failureReason(error)}` };
    }
  }

  /** The operator waits for it, and so may the agent: what takes too long is said, and may be tried again. */
  private takeIntoEffect(command: ChangeCommand): void {
    const { id } = command;
    this.follow(
      this.steps.run(() => takeIntoEffect(command)),
      (event) => event,
      (error) => ({ kind: 'change_failed', id, reason: failureReason(error) }),
    );
  }

  private askCheckin(host: string, run: RunRef): void {
    const { turn } = run;
    const options = { taskQueue: bottlesQueue(host), summary: 'last check-in?' };
    this.follow(
      activities.checkins.lastCheckinAge.executeWithOptions(options, [run]),
      (ageMs) => ({ kind: 'checkin_age', turn, ageMs }),
      () => ({ kind: 'checkin_age', turn, ageMs: null }),
    );
  }

  private start(
    step: 'claim' | 'prepare' | 'settle' | 'destroy',
    turn: number,
    work: () => Promise<MachineEvent>,
  ): void {
    // Nobody calls the end itself off.
    const working = step === 'destroy' ? work() : this.steps.run(work);
    this.follow(
      working,
      (event) => event,
      (error) => ({ kind: 'step_failed', step, turn, reason: failureReason(error) }),
    );
  }

  /** Feeds what comes of the work, either way. */
  private follow<T>(
    work: Promise<T>,
    done: (result: T) => MachineEvent,
    failed: (error: unknown) => MachineEvent,
  ): void {
    work.then(
      (result) => {
        this.feed(done(result));
      },
      (error: unknown) => {
        this.feed(failed(error));
      },
    );
  }
}

/** What a turn is for, in Temporal's page. */
function about({ kind }: TurnCause, told: number): string {
  const count = told === 0 ? '' : `, ${String(told)} ${told === 1 ? 'event' : 'events'}`;
  return `${kind.replace('_', ' ')}${count}`;
}
