import { isRecord } from '../../domain/base/is-record.js';
import type { AgentOutcome, ReportedUse } from '../../domain/agent/agent-stream.js';
import type { ModelUse } from '../../domain/run/model-use.js';
import type { TurnRow } from '../../domain/run/rows.js';
import type { TurnEnd } from '../base/run-logs.js';

type Json = Readonly<Record<string, unknown>>;

const OUTCOMES: readonly AgentOutcome[] = [
  'finished',
  'unknown_session',
  'provider',
  'context_full',
  'not_understood',
  'cut',
  'empty',
  'crashed',
  'stopped',
  'failed',
];

/** How a turn ended, by its row; rows of earlier versions say less. */
export function turnEndOf({ at, detail }: TurnRow): TurnEnd {
  const agent = objectOf(detail['agent']);
  const { outcome } = agent;
  return {
    at,
    exitCode: typeof detail['exitCode'] === 'number' ? detail['exitCode'] : null,
    reason: textOf(detail['reason']),
    outcome: OUTCOMES.find((known) => known === outcome) ?? null,
    done: textOf(objectOf(detail['done'])['status']),
    stopped: textOf(detail['stopped']),
    reported: reportedOf(agent['reported']),
    metered: meteredOf(objectOf(detail['model'])['use']),
  };
}

function reportedOf(value: unknown): ReportedUse | null {
  if (!isRecord(value)) return null;
  const { usd } = value;
  return {
    inputTokens: numberOf(value['inputTokens']),
    cachedTokens: numberOf(value['cachedTokens']),
    outputTokens: numberOf(value['outputTokens']),
    usd: typeof usd === 'number' ? usd : null,
  };
}

function meteredOf(value: unknown): ModelUse | null {
  if (!isRecord(value)) return null;
  return {
    requests: numberOf(value['requests']),
    failed: numberOf(value['failed']),
    inputTokens: numberOf(value['inputTokens']),
    cacheReadTokens: numberOf(value['cacheReadTokens']),
    cacheWriteTokens: numberOf(value['cacheWriteTokens']),
    outputTokens: numberOf(value['outputTokens']),
    microUsd: numberOf(value['microUsd']),
  };
}

function objectOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
