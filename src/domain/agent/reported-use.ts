import type { ReportedUse, StreamSummary } from './agent-stream.js';

/**
 * What a CLI printed, as figures of one turn: what it prints for the whole session is made a difference.
 * @param before what it had printed at the end of the session's turn before; `null` when there was none
 */
export function reportedOfTurn(
  reported: NonNullable<StreamSummary['reported']>,
  before: ReportedUse | null,
): ReportedUse {
  const { use, tokensOf, costOf } = reported;
  const tokens = tokensOf === 'session' ? before : null;
  const earlierUsd = costOf === 'session' ? (before?.usd ?? 0) : 0;
  return {
    inputTokens: since(use.inputTokens, tokens?.inputTokens),
    cachedTokens: since(use.cachedTokens, tokens?.cachedTokens),
    outputTokens: since(use.outputTokens, tokens?.outputTokens),
    // Binary fractions of dollars: rounded, so that a difference of nothing is nothing.
    usd: use.usd === null ? null : Math.round(since(use.usd, earlierUsd) * 1e9) / 1e9,
  };
}

/** Less than before means that the CLI began to count anew. */
function since(now: number, before = 0): number {
  return now >= before ? now - before : now;
}
