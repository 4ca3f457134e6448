/** What a run waits for: activities that can be called off, and that an ending run does not wait for without end. */
import { CancellationScope, isCancellation, sleep, Trigger } from '@temporalio/workflow';

/** What is under way when the run is to end has so long to end by itself, milliseconds. Whole: half a minute. */
const PATIENCE_MS = 25_000;

interface UnderWay {
  readonly scope: CancellationScope;
  readonly late: Trigger<never>;
  patience: CancellationScope | null;
}

/** The run has left the host that was to do this. */
export class LeftBehindError extends Error {
  constructor() {
    super('the run was moved to another host');
    this.name = 'LeftBehindError';
  }
}

export class StepsUnderWay {
  private readonly underWay = new Set<UnderWay>();

  constructor(private readonly isEnding: () => boolean) {}

  /** Does a step's work. Errors: the work's; when the run ends and the work does not, one that says so. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const one: UnderWay = { scope: new CancellationScope(), late: new Trigger(), patience: null };
    this.underWay.add(one);
    if (this.isEnding()) this.giveUpSoon(one);
    try {
      return await Promise.race([one.scope.run(work), one.late]);
    } finally {
      this.underWay.delete(one);
      one.patience?.cancel();
    }
  }

  /** The run is to end: whatever is under way is called off. */
  end(): void {
    for (const one of this.underWay) {
      one.scope.cancel();
      this.giveUpSoon(one);
    }
  }

  /** What is under way is called off, and not waited for: it is on a host that the run has left. */
  leave(): void {
    for (const one of this.underWay) {
      one.scope.cancel();
      one.late.reject(new LeftBehindError());
    }
  }

  private giveUpSoon(one: UnderWay): void {
    if (one.patience !== null) return;
    one.patience = new CancellationScope();
    one.patience
      .run(() => sleep(PATIENCE_MS, { summary: 'the run ends: waits for what is under way' }))
      .then(
        () => {
          one.scope.cancel();
          one.late.reject(new Error('it did not end when the run was to end'));
        },
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }
}
