/** The durable timers of a run: its watchdog, and the time at which it goes on by itself. */
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { MachineEvent } from '../domain/run/events.js';

export class RunTimers {
  private watchdog: CancellationScope | undefined;
  private resume: CancellationScope | undefined;

  /** @param feed takes what a timer says */
  constructor(private readonly feed: (event: MachineEvent) => void) {}

  armWatchdog(turn: number, ms: number): void {
    this.watchdog?.cancel();
    this.watchdog = this.timer(ms, `watchdog of turn ${String(turn)}`, { kind: 'watchdog_fired', turn });
  }

  disarmWatchdog(): void {
    this.watchdog?.cancel();
  }

  /** @param at epoch milliseconds */
  armResume(at: number): void {
    this.resume?.cancel();
    const summary = `goes on at ${new Date(at).toISOString()}`;
    this.resume = this.timer(Math.max(0, at - Date.now()), summary, { kind: 'resume_due', at });
  }

  disarmResume(): void {
    this.resume?.cancel();
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
}
