/** What readers of several CLIs make of untrusted fields. */
import type { AgentOutcome, ReportedUse } from '../../domain/agent/agent-stream.js';

export const NOTHING_REPORTED: ReportedUse = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: null };

/** Of two answers together. */
export function addReported(a: ReportedUse, b: ReportedUse): ReportedUse {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    usd: a.usd === null ? b.usd : b.usd === null ? a.usd : a.usd + b.usd,
  };
}

/** Of untrusted fields: figures that are none count nothing. */
export function reportedOf(said: {
  /** All of it together, what was cached included. */
  readonly input: readonly unknown[];
  readonly cached: unknown;
  readonly output: readonly unknown[];
  readonly usd: unknown;
}): ReportedUse {
  const sum = (counts: readonly unknown[]): number =>
    counts.reduce<number>((all, one) => all + countOf(one), 0);
  return {
    inputTokens: sum(said.input),
    cachedTokens: countOf(said.cached),
    outputTokens: sum(said.output),
    usd: costIn(said.usd),
  };
}

/** US dollars in a field; `null` for anything that is no amount. */
function costIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e9 ? value : null;
}

/** A count in a field, 0 for anything that is none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** In the words of both vendors, or with the status of a request that is too large: the session cannot be asked on with. */
const TOO_LONG =
  /prompt is too long|context_length_exceeded|maximum context length|exceeds? the (?:model's )?context window|input is too long|^413\b/i;

/** What an error of the model's API means, by its text. */
export function providerOutcome(text: string): AgentOutcome {
  return TOO_LONG.test(text) ? 'context_full' : 'provider';
}
