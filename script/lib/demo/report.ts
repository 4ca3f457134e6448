/** What stands below the story: the workflow's own timeline, the times, the addresses. */
import { escapeTerminal } from '../../../src/domain/text/escape.js';
import { seconds, type Feed } from './feed.js';
import type { Leftovers } from './leftovers.js';
import type { Facts } from './messages.js';
import type { ModelSpending } from './model-spending.js';
import type { Step } from './steps.js';
import type { Told } from './stage.js';

export interface Outcome {
  readonly ok: boolean;
  readonly provider: string;
  readonly steps: readonly Step[];
  readonly told: Told;
  /** `null` for an agent without a model. */
  readonly spending: ModelSpending | null;
  readonly leftovers: Leftovers;
  readonly error: string | null;
  /** Set with --keep. */
  readonly addresses: {
    readonly gitea: string;
    readonly temporal_ui: string;
    readonly temporal: string;
  } | null;
}

export function printTimeline(feed: Feed, told: Told): void {
  feed.heading(`Timeline of ${String(told.workflowId)}, as the workflow itself tells it`);
  for (const { at, turn, what } of told.timeline)
    feed.line(`${feed.clock(at)}  turn ${String(turn)}  ${escapeTerminal(what)}`);
  if (told.events !== null) feed.line(`${' '.repeat(9)}  ${String(told.events)} events of history in all`);
}

export function printSteps(feed: Feed, steps: readonly Step[]): void {
  feed.heading('Time of each step');
  for (const { name, ms } of steps) feed.line(`${seconds(ms).padStart(9)}  ${name.replaceAll('_', ' ')}`);
  const total = steps.reduce((sum, { ms }) => sum + ms, 0);
  feed.line(`${seconds(total).padStart(9)}  in all`);
}

export function printAddresses(feed: Feed, facts: Facts, told: Told): void {
  const run = `${facts.temporalUi}/namespaces/default/workflows/${encodeURIComponent(told.workflowId ?? '')}`;
  const rows: readonly (readonly [string, string | null])[] = [
    ['Gitea', facts.giteaUrl],
    ['Issue', told.issueUrl],
    ['Pull request', told.prUrl],
    ['Temporal UI', told.workflowId === null ? facts.temporalUi : run],
  ];
  feed.heading('Addresses');
  for (const [name, address] of rows)
    if (address !== null) feed.line(`  ${name.padEnd(13)} ${escapeTerminal(address)}`);
}

/** Nothing for an agent without a model. */
export function printSpending(feed: Feed, { spending }: Told): void {
  if (spending === null) return;
  const { inputTokens, cachedTokens, outputTokens, usd, reportedUsd } = spending;
  feed.heading('What it used of its model');
  feed.line(
    `  metered by the credential proxy: ${String(inputTokens)} tokens in (${String(cachedTokens)} from the cache), ${String(outputTokens)} out, ${usd.toFixed(4)} USD`,
  );
  if (reportedUsd !== null) feed.line(`  reported by the CLI itself: ${reportedUsd.toFixed(4)} USD`);
}

/** One line for programs. */
export function jsonOf({
  ok,
  provider,
  steps,
  told,
  spending,
  leftovers,
  error,
  addresses,
}: Outcome): string {
  return JSON.stringify({
    ok,
    provider,
    steps,
    issue_url: told.issueUrl,
    pr_url: told.prUrl,
    slug: told.slug,
    workflow_id: told.workflowId,
    sessions: told.sessions,
    events: told.events,
    model_use: spending === null ? null : useOf(spending),
    cost_usd: spending?.usd ?? null,
    leftovers,
    ...(addresses === null ? {} : { addresses }),
    ...(error === null ? {} : { error }),
  });
}

function useOf({ inputTokens, cachedTokens, outputTokens, reportedUsd }: ModelSpending): object {
  return {
    input_tokens: inputTokens,
    cached_tokens: cachedTokens,
    output_tokens: outputTokens,
    reported_usd: reportedUsd,
  };
}
