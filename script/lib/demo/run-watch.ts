/** Looks at the run from outside, again and again: the workflow's queries, and the webhook's log. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { stateQuery, timelineQuery, type RunView } from '../../../src/workflows/messages.js';
import type { Feed } from './feed.js';
import { objectOf, textOf } from './json.js';
import { TailedFile } from './tail-file.js';

export interface TimelineEntry {
  readonly at: number;
  readonly turn: number;
  readonly what: string;
}

/** What the webhook's dispatcher made of one delivery. */
export interface Dispatch {
  readonly at: number;
  readonly event: string;
  readonly outcome: string;
}

const LOOK_AT_LOG_MS = 50;
/** Every query is a task for the worker that is being watched. */
const LOOK_AT_WORKFLOW_MS = 150;

export class RunWatch {
  view: RunView | undefined;
  timeline: readonly TimelineEntry[] = [];
  readonly dispatches: Dispatch[] = [];
  private readonly stopped = new AbortController();
  private readonly log: TailedFile;
  private readonly watching: Promise<unknown>;

  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
    private readonly feed: Feed,
    upLog: string,
  ) {
    this.log = new TailedFile(upLog);
    this.watching = Promise.all([
      this.repeat(LOOK_AT_LOG_MS, () => this.lookAtLog()),
      this.repeat(LOOK_AT_WORKFLOW_MS, () => this.lookAtWorkflow()),
    ]);
  }

  /** The entry of the workflow's own timeline that begins like this. */
  entry(begins: string): TimelineEntry | undefined {
    return this.timeline.find(({ what }) => what.startsWith(begins));
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.watching;
  }

  private async repeat(everyMs: number, look: () => Promise<void>): Promise<void> {
    while (!this.stopped.signal.aborted) {
      await look();
      await delay(everyMs);
    }
  }

  private async lookAtWorkflow(): Promise<void> {
    const handle = this.client.workflow.getHandle(this.workflowId);
    try {
      const view = await handle.query(stateQuery);
      // Asked later, so that it is never behind the view.
      const timeline = await handle.query(timelineQuery);
      for (const { at, what } of timeline.slice(this.timeline.length))
        this.feed.add({ at, source: 'workflow', text: what, step: false });
      this.timeline = timeline;
      this.view = view;
    } catch {
      // There is no run yet, or the worker is busy: whoever waits for something has a deadline.
    }
  }

  private async lookAtLog(): Promise<void> {
    for (const line of await this.log.read()) {
      const fields = objectOf(line);
      if (fields?.['name'] !== 'webhook' || fields['msg'] !== 'dispatched') continue;
      const time = Date.parse(textOf(fields['time']));
      const at = Number.isNaN(time) ? Date.now() : time;
      const [event, outcome] = [textOf(fields['event']), textOf(fields['outcome'])];
      this.dispatches.push({ at, event, outcome });
      const text = `${event} of ${textOf(fields['key'])}: ${outcome}`;
      this.feed.add({ at, source: 'webhook', text, step: false });
    }
  }
}
