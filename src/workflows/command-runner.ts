/** Carries out what the machine wants and feeds what comes of it back: the only place that starts activities and timers. */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { PrepareTurnInput, PublishInput, RunRef, SettleTurnInput } from '../activities/inputs.js';
import type { MachineEvent } from '../domain/events.js';
import type { PublishResult, TurnCause } from '../domain/turn.js';
import * as activities from './activities.js';
import { failureReason, isLostTurn, isPassing } from './activity-failures.js';
import { bottlesQueue, turnsQueue } from './messages.js';
import type { MachineCommand } from './run/commands.js';
import { StepsUnderWay } from './steps-under-way.js';

type WatchCommand = Extract<MachineCommand, { kind: 'run_turn' | 'attach_turn' }>;

export class CommandRunner {
  private readonly steps: StepsUnderWay;
  private turnScope: CancellationScope | undefined;
  private watchdogScope: CancellationScope | undefined;
  private resumeScope: CancellationScope | undefined;
  /** Rows are written in order, and before the next turn is prepared. */
  private recorded: Promise<void> = Promise.resolve();
  /** Rows of operators' acts that this execution has asked for. */
  private acts = 0;

  /**
   * @param feed takes what came of a command
   * @param isEnding whether the run is to end: then nothing is waited for without end
   */
  constructor(
    private readonly feed: (event: MachineEvent) => void,
    private readonly isEnding: () => boolean,
  ) {
    this.steps = new StepsUnderWay(isEnding);
  }

  /** Rows asked for so far are written. */
  async settledRows(): Promise<void> {
    await this.recorded;
  }

  run(command: MachineCommand): void {
    switch (command.kind) {
      case 'claim_host':
        return this.claim(command.turn);
      case 'prepare_turn':
        return this.prepare(command.input);
      case 'run_turn':
      case 'attach_turn':
        return this.watch(command);
      case 'stop_turn':
        return this.turnScope?.cancel();
      case 'end_step':
        return this.steps.end();
      case 'settle_turn':
        return this.settle(command.host, command.input);
      case 'arm_watchdog':
        return this.armWatchdog(command.turn, command.ms);
      case 'disarm_watchdog':
        return this.watchdogScope?.cancel();
      case 'arm_resume':
        return this.armResume(command.at);
      case 'disarm_resume':
        return this.resumeScope?.cancel();
      case 'ask_checkin':
        return this.askCheckin(command.host, command.run);
      case 'record_turn': {
        const { input } = command;
        const summary = `rows of turn ${String(input.turn)}`;
        return this.write(() => activities.rows.recordTurn.executeWithOptions({ summary }, [input]));
      }
      case 'record_state': {
        const { input } = command;
        return this.write(() =>
          activities.rows.recordState.executeWithOptions({ summary: 'state row' }, [input]),
        );
      }
      case 'record_command': {
        const { runId, workflowId } = workflowInfo();
        const row = { ...command.act, id: `${runId}/${String((this.acts += 1))}`, workflowId };
        const summary = `row of the operator's ${row.kind}`;
        return this.write(() => activities.rows.recordCommand.executeWithOptions({ summary }, [row]));
      }
      case 'archive':
        return this.archive(command.host, command.run);
      case 'destroy':
        return this.destroy(command);
      case 'record_end': {
        const { input } = command;
        return this.write(() =>
          activities.rows.recordEnd.executeWithOptions({ summary: 'end of the run' }, [input]),
        );
      }
      case 'tell_frozen': {
        const options = { summary: `leave a reaction: ${command.reason}` };
        // Beside the run's course: whether it could be left changes nothing.
        return void activities.telling.tellFrozen
          .executeWithOptions(options, [command.run])
          .catch(() => undefined);
      }
      case 'tell_checks_stopped': {
        const options = { summary: 'say that failed checks wake it no more' };
        return void activities.telling.tellChecksStopped
          .executeWithOptions(options, [command.input])
          .catch(() => undefined);
      }
    }
  }

  private claim(turn: number): void {
    this.start('claim', turn, async () => {
      // A claim costs six events and a task that decides nothing.
      const sole = await activities.rows.soleHost.executeWithOptions({ summary: 'the only host?' }, []);
      if (sole !== null) return { kind: 'host_claimed', host: sole };
      const { host } = await activities.claims.claimHost.executeWithOptions({ summary: 'claim a host' }, []);
      return { kind: 'host_claimed', host };
    });
  }

  private prepare(input: PrepareTurnInput): void {
    const { turn, cause } = input;
    this.start('prepare', turn, async () => {
      await this.recorded;
      const options = { summary: `prepare turn ${String(turn)} (${cause.kind})` };
      const outcome = await activities.home.prepareTurn.executeWithOptions(options, [input]);
      switch (outcome.kind) {
        case 'ready':
          return { kind: 'prepared', turn, prepared: outcome.prepared };
        case 'refused':
          return { kind: 'prepare_refused', turn, reason: outcome.reason, stale: outcome.stale };
        case 'nothing_left':
          return { kind: 'nothing_left', turn };
        case 'over_budget':
          return { kind: 'over_budget', turn, reason: outcome.reason, until: outcome.until };
        case 'paused':
          return { kind: 'met_pause', turn, reason: outcome.reason };
        case 'moved':
          return { kind: 'moved', turn, place: outcome.place };
      }
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
        if (kind === 'attach_turn')
          return reattachBottle.executeWithOptions({ taskQueue: bottlesQueue(host), summary }, [input]);
        const begin = turn === 1 ? launchBottle : rehydrateBottle;
        return begin.executeWithOptions({ taskQueue: turnsQueue(host), summary }, [input]);
      });
    });
    watching.then(
      (result) => {
        this.feed({ kind: 'turn_finished', turn, result });
      },
      (error: unknown) => {
        // Cancelled while nobody watched: the container must still be stopped and collected.
        const unwatched = kind === 'attach_turn' && isCancellation(error);
        if (unwatched || isLostTurn(error)) this.feed({ kind: 'turn_lost', turn, reason: null });
        // It cannot be watched to its end now; attaching is tried for as long as it takes.
        else if (isPassing(error)) this.feed({ kind: 'turn_lost', turn, reason: failureReason(error) });
        else this.feed({ kind: 'step_failed', step: 'run', turn, reason: failureReason(error) });
      },
    );
  }

  private settle(host: string, input: SettleTurnInput): void {
    const { turn } = input;
    const summary = `turn ${String(turn)}: collect, publish, snapshot`;
    const options = { taskQueue: bottlesQueue(host), summary };
    this.start('settle', turn, async () => {
      const settled = await activities.settling.freezeBottle.executeWithOptions(options, [input]);
      return { kind: 'settled', turn, settled };
    });
  }

  private archive(host: string, run: RunRef): void {
    const options = { taskQueue: bottlesQueue(host), summary: `put containers of ${run.slug} away` };
    this.steps
      .run(() => activities.archiving.archiveBottle.executeWithOptions(options, [run]))
      .then(
        () => {
          this.feed({ kind: 'archived' });
        },
        (error: unknown) => {
          this.feed({ kind: 'archive_failed', reason: failureReason(error) });
        },
      );
  }

  private destroy({ host, input }: Extract<MachineCommand, { kind: 'destroy' }>): void {
    // Nothing was ever launched.
    if (host === null) return this.feedLater({ kind: 'destroyed' });
    const options = { taskQueue: bottlesQueue(host), summary: `destroy ${input.slug}` };
    this.start('destroy', input.turn, async () => {
      await this.recorded;
      await activities.destroying.destroyBottle.executeWithOptions(options, [input]);
      return { kind: 'destroyed' };
    });
  }

  /** The agent's `open_pr`. An agent that asked is answered in the end: what fails or takes too long is a refusal. */
  async publish(host: string, input: PublishInput): Promise<PublishResult> {
    const options = { taskQueue: bottlesQueue(host), summary: `open_pr ${input.requestId}` };
    try {
      return await this.steps.run(() => activities.gate.publishWork.executeWithOptions(options, [input]));
    } catch (error) {
      if (this.isEnding()) return { kind: 'refused', reason: 'the run is ending' };
      if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
      return { kind: 'refused', reason: `the publish gate failed: ${failureReason(error)}` };
    }
  }

  private armWatchdog(turn: number, ms: number): void {
    this.watchdogScope?.cancel();
    this.watchdogScope = this.timer(ms, `watchdog of turn ${String(turn)}`, { kind: 'watchdog_fired', turn });
  }

  private armResume(at: number): void {
    this.resumeScope?.cancel();
    const summary = `goes on at ${new Date(at).toISOString()}`;
    this.resumeScope = this.timer(Math.max(0, at - Date.now()), summary, { kind: 'resume_due', at });
  }

  private timer(ms: number, summary: string, event: MachineEvent): CancellationScope {
    const scope = new CancellationScope();
    scope
      .run(() => sleep(ms, { summary }))
      .then(
        () => {
          this.feed(event);
        },
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
    return scope;
  }

  private askCheckin(host: string, run: RunRef): void {
    const { turn } = run;
    const options = { taskQueue: bottlesQueue(host), summary: 'last check-in?' };
    activities.checkins.lastCheckinAge.executeWithOptions(options, [run]).then(
      (ageMs) => {
        this.feed({ kind: 'checkin_age', turn, ageMs });
      },
      () => {
        this.feed({ kind: 'checkin_age', turn, ageMs: null });
      },
    );
  }

  private start(
    step: 'claim' | 'prepare' | 'settle' | 'destroy',
    turn: number,
    work: () => Promise<MachineEvent>,
  ): void {
    // Nobody calls the end itself off.
    const working = step === 'destroy' ? work() : this.steps.run(work);
    working.then(
      (event) => {
        this.feed(event);
      },
      (error: unknown) => {
        this.feed({ kind: 'step_failed', step, turn, reason: failureReason(error) });
      },
    );
  }

  private feedLater(event: MachineEvent): void {
    void Promise.resolve().then(() => {
      this.feed(event);
    });
  }

  private write(work: () => Promise<void>): void {
    this.recorded = this.recorded.then(work);
  }
}

/** What a turn is for, in Temporal's page. */
function about({ kind }: TurnCause, told: number): string {
  const count = told === 0 ? '' : `, ${String(told)} ${told === 1 ? 'event' : 'events'}`;
  return `${kind.replace('_', ' ')}${count}`;
}
