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

const EVERY_MS = 75;

export class RunWatch {
  view: RunView | undefined;
  timeline: readonly TimelineEntry[] = [];
  private readonly stopped = new AbortController();
  private readonly log: TailedFile;
  private readonly watching: Promise<void>;

  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
    private readonly feed: Feed,
    upLog: string,
  ) {
    this.log = new TailedFile(upLog);
    this.watching = this.watch();
  }

  /** The entry of the workflow's own timeline that begins like this. */
  entry(begins: string): TimelineEntry | undefined {
    return this.timeline.find(({ what }) => what.startsWith(begins));
  }

  async stop(): Promise<void> {
    this.stopped.abort();
    await this.watching;
  }

  private async watch(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      await Promise.all([this.lookAtWorkflow(), this.lookAtLog()]);
      await delay(EVERY_MS);
    }
  }

  private async lookAtWorkflow(): Promise<void> {
    const handle = this.client.workflow.getHandle(this.workflowId);
    try {
      const [view, timeline] = await Promise.all([handle.query(stateQuery), handle.query(timelineQuery)]);
      for (const { at, what } of timeline.slice(this.timeline.length))
        this.feed.add({ at, source: 'workflow', text: what, step: false });
      this.view = view;
      this.timeline = timeline;
    } catch {
      // There is no run yet, or the worker is busy: whoever waits for something has a deadline.
    }
  }

  private async lookAtLog(): Promise<void> {
    for (const line of await this.log.read()) {
      const fields = objectOf(line);
      if (fields?.['name'] !== 'webhook' || fields['msg'] !== 'dispatched') continue;
      const at = Date.parse(textOf(fields['time']));
      const text = `${textOf(fields['event'])} of ${textOf(fields['key'])}: ${textOf(fields['outcome'])}`;
      this.feed.add({ at: Number.isNaN(at) ? Date.now() : at, source: 'webhook', text, step: false });
    }
  }
}
