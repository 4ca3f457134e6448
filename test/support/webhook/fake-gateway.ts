import type { RunEvent } from '../../../src/domain/run/events.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { WorkflowGateway } from '../../../src/webhook/dispatch/gateway.js';

export interface Sent {
  readonly id: string;
  readonly start: boolean;
  readonly event: RunEvent;
}

/** Temporal as the dispatcher sees it: workflows that run, and calls that fail when told to. */
export class FakeGateway implements WorkflowGateway {
  readonly running = new Set<string>();
  readonly sent: Sent[] = [];
  fault: () => void = () => undefined;

  signal(...[subject, event]: Parameters<WorkflowGateway['signal']>): Promise<'delivered' | 'no_workflow'> {
    return this.#call(() => {
      const id = workflowIdOf(subject);
      if (!this.running.has(id)) return 'no_workflow';
      this.sent.push({ id, start: false, event });
      return 'delivered';
    });
  }

  signalWithStart(...[subject, event]: Parameters<WorkflowGateway['signalWithStart']>): Promise<void> {
    return this.#call(() => {
      const id = workflowIdOf(subject);
      this.running.add(id);
      this.sent.push({ id, start: true, event });
    });
  }

  reachable(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async #call<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    this.fault();
    return work();
  }
}
