/** Carries out what the machine wants and feeds what comes of it back: the only place that starts activities and timers. */
import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunTurnInput } from '../activities/inputs.js';
import type { MachineEvent } from '../domain/events.js';
import { workflowIdOf } from '../domain/issue.js';
import type { PublishResult, TurnResult } from '../domain/turn.js';
import * as activities from './activities.js';
import { failureReason, isLostTurn, isPassing } from './activity-failures.js';
import { prepareInput, publishInput, settleInput, turnInput } from './activity-inputs.js';
import type { MachineCommand, MachineState } from './issue-machine.js';
import { bottlesQueue, turnsQueue, type OpenPrRequest } from './messages.js';
import { needed, runRef, snapshotOf } from './run-view.js';
import { StepsUnderWay } from './steps-under-way.js';

export class CommandRunner {
  private readonly steps = new StepsUnderWay(() => this.isEnding());
  private turnScope: CancellationScope | undefined;
  private watchdogScope: CancellationScope | undefined;
  private resumeScope: CancellationScope | undefined;
  /** Rows are written in order, and before the next turn is prepared. */
  private recorded: Promise<void> = Promise.resolve();
  /** Rows of operators' acts that this execution has asked for. */
  private acts = 0;

  constructor(
    private readonly state: () => MachineState,
    private readonly feed: (event: MachineEvent) => void,
  ) {}

  private isEnding(): boolean {
    return this.state().closing !== null;
  }

  /** Rows asked for so far are written. */
  async settledRows(): Promise<void> {
    await this.recorded;
  }

  run(command: MachineCommand): void {
    const s = this.state();
    switch (command.kind) {
      case 'claim_host':
        return this.start('claim', async () => {
          // A claim costs six events and a task that decides nothing.
          const sole = await activities.rows.soleHost.executeWithOptions({ summary: 'the only host?' }, []);
          if (sole !== null) return { kind: 'host_claimed', host: sole };
          const { host } = await activities.claims.claimHost.executeWithOptions(
            { summary: 'claim a host' },
            [],
          );
          return { kind: 'host_claimed', host };
        });
      case 'prepare_turn':
        return this.prepare(command);
      case 'run_turn':
        return this.watch('run', turnInput(s, null, false));
      case 'attach_turn':
        return this.watch('attach', turnInput(s, command.stop, command.begun));
      case 'stop_turn':
        return this.turnScope?.cancel();
      case 'end_step':
        return this.steps.end();
      case 'settle_turn':
        return this.settle(command.result);
      case 'arm_watchdog':
        return this.armWatchdog(command.turn, command.ms);
      case 'disarm_watchdog':
        return this.watchdogScope?.cancel();
      case 'arm_resume':
        return this.armResume(command.at);
      case 'disarm_resume':
        return this.resumeScope?.cancel();
      case 'ask_checkin':
        return this.askCheckin(command.turn);
      case 'record_turn': {
        const { result, settled, reason } = command;
        const input = { ...runRef(s), turn: command.turn, result, settled, reason };
        const snapshot = { ...snapshotOf(s), phase: 'frozen', reason };
        const record = { ...input, snapshot, watchdogFired: s.watchdogFired };
        return this.write(() =>
          activities.rows.recordTurn.executeWithOptions({ summary: `rows of turn ${String(command.turn)}` }, [
            record,
          ]),
        );
      }
      case 'record_state': {
        const input = { ...runRef(s), snapshot: snapshotOf(s) };
        return this.write(() =>
          activities.rows.recordState.executeWithOptions({ summary: 'state row' }, [input]),
        );
      }
      case 'record_command': {
        const { runId } = workflowInfo();
        const id = `${runId}/${String((this.acts += 1))}`;
        const row = { ...command.act, id, workflowId: workflowIdOf(s.subject) };
        const summary = `row of the operator's ${row.kind}`;
        return this.write(() => activities.rows.recordCommand.executeWithOptions({ summary }, [row]));
      }
      case 'archive': {
        const host = needed(s.host, 'host');
        const options = { taskQueue: bottlesQueue(host), summary: `put containers of ${command.slug} away` };
        const input = runRef(s, command.slug);
        const archiving = this.steps.run(() =>
          activities.archiving.archiveRun.executeWithOptions(options, [input]),
        );
        return void archiving.then(
          () => {
            this.feed({ kind: 'archived' });
          },
          (error: unknown) => {
            this.feed({ kind: 'archive_failed', reason: failureReason(error) });
          },
        );
      }
      case 'destroy': {
        const input = { ...runRef(s), branch: s.prepared?.branch ?? null };
        // Without a host nothing was ever launched.
        if (s.host === null) return this.feedLater({ kind: 'destroyed' });
        const options = { taskQueue: bottlesQueue(s.host), summary: `destroy ${command.slug}` };
        return this.start('destroy', async () => {
          await this.recorded;
          await activities.destroying.destroyRun.executeWithOptions(options, [input]);
          return { kind: 'destroyed' };
        });
      }
      case 'record_end': {
        const input = { ...runRef(s, command.slug), endedAt: command.endedAt };
        return this.write(() =>
          activities.rows.recordEnd.executeWithOptions({ summary: 'end of the run' }, [input]),
        );
      }
      case 'tell_frozen': {
        const options = { summary: `leave a reaction: ${command.reason}` };
        // Beside the run's course: whether it could be left changes nothing.
        return void activities.telling.tellFrozen
          .executeWithOptions(options, [runRef(s)])
          .catch(() => undefined);
      }
    }
  }

  private prepare(command: Extract<MachineCommand, { kind: 'prepare_turn' }>): void {
    const { turn, cause } = command;
    const input = prepareInput(this.state(), command, Date.now());
    this.start('prepare', async () => {
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

  private watch(how: 'run' | 'attach', input: RunTurnInput): void {
    const host = needed(this.state().host, 'host');
    const { turn } = input;
    const summary = `${how === 'run' ? 'run' : 'attach to'} turn ${String(turn)} (${input.prepared.provider})`;
    const watching = this.steps.run(() => {
      const scope = new CancellationScope();
      this.turnScope = scope;
      return scope.run(() =>
        how === 'run'
          ? activities.turns.runTurn.executeWithOptions({ taskQueue: turnsQueue(host), summary }, [input])
          : activities.attachments.attachTurn.executeWithOptions({ taskQueue: bottlesQueue(host), summary }, [
              input,
            ]),
      );
    });
    watching.then(
      (result) => {
        this.feed({ kind: 'turn_finished', turn, result });
      },
      (error: unknown) => {
        // Cancelled while nobody watched: the container must still be stopped and collected.
        const unwatched = how === 'attach' && isCancellation(error);
        if (unwatched || isLostTurn(error)) this.feed({ kind: 'turn_lost', turn, reason: null });
        // It cannot be watched to its end now; attaching is tried for as long as it takes.
        else if (isPassing(error)) this.feed({ kind: 'turn_lost', turn, reason: failureReason(error) });
        else this.feed({ kind: 'step_failed', step: 'run', turn, reason: failureReason(error) });
      },
    );
  }

  private settle(result: TurnResult): void {
    const s = this.state();
    const { turn } = s;
    const input = settleInput(s, result);
    const options = {
      taskQueue: bottlesQueue(needed(s.host, 'host')),
      summary: `settle turn ${String(turn)}: collect, publish, snapshot`,
    };
    this.start('settle', async () => {
      const settled = await activities.settling.settleTurn.executeWithOptions(options, [input]);
      return { kind: 'settled', turn, settled };
    });
  }

  /** The agent's `open_pr`. An agent that asked is answered in the end: what fails or takes too long is a refusal. */
  async publish(request: OpenPrRequest): Promise<PublishResult> {
    const s = this.state();
    const summary = `open_pr ${request.requestId}`;
    const options = { taskQueue: bottlesQueue(needed(s.host, 'host')), summary };
    const input = publishInput(s, request);
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

  private askCheckin(turn: number): void {
    const s = this.state();
    const options = { taskQueue: bottlesQueue(needed(s.host, 'host')), summary: 'last check-in?' };
    activities.checkins.lastCheckinAge.executeWithOptions(options, [runRef(s)]).then(
      (ageMs) => {
        this.feed({ kind: 'checkin_age', turn, ageMs });
      },
      () => {
        this.feed({ kind: 'checkin_age', turn, ageMs: null });
      },
    );
  }

  private start(step: 'claim' | 'prepare' | 'settle' | 'destroy', work: () => Promise<MachineEvent>): void {
    const { turn } = this.state();
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
