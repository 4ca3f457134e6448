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

/** US dollars in a field; `null` for anything that is no amount. */
export function costIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e9 ? value : null;
}

/** In the words of both vendors: an answer that does not fit into the model's context any more. */
const TOO_LONG =
  /prompt is too long|context_length_exceeded|maximum context length|exceeds? the (?:model's )?context window|input is too long/i;

/** What an error of the model's API means, by its text. */
export function providerOutcome(text: string): AgentOutcome {
  return TOO_LONG.test(text) ? 'context_full' : 'provider';
}
