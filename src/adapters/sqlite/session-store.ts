import type { Database as Connection } from 'better-sqlite3';
import { NOTHING, type Amounts } from '../../domain/run/budget.js';
import type { SessionStore } from '../../domain/run/stores.js';
import type { SessionRow } from '../../domain/run/rows.js';

interface StoredSession {
  readonly slug: string;
  readonly session_id: string;
  readonly provider: string | null;
  readonly provider_version: string | null;
  readonly agent: string;
  readonly cwd: string;
  readonly first_turn: number;
  readonly last_turn: number;
  readonly turns: number;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly micro_usd: number;
  readonly reported_input_tokens: number;
  readonly reported_cached_tokens: number;
  readonly reported_output_tokens: number;
  readonly reported_usd: number | null;
  readonly updated_at: number;
  readonly ended_reason: SessionRow['endedReason'];
}

/** The agent container's working directory, the same for every turn of every run. */
const CWD = '/workspace';

const used = (name: string): string => `coalesce(detail ->> '$.model.use.${name}', 0)`;
const reported = (name: string): string => `detail ->> '$.agent.reported.${name}'`;
const METERED_INPUT = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens'].map(used).join(' + ');

/**
 * From the rows of the turns alone, so that nothing is counted twice. `total`, not `sum`: what an agent reports may be
 * larger than any integer of SQLite's.
 */
const UPDATE = `
WITH ended AS (
  SELECT turn, detail, detail ->> '$.sessionId' AS session_id FROM turn WHERE slug = @slug AND event = 'ended'
), sums AS (
  SELECT
    session_id,
    min(turn) AS first_turn,
    max(turn) AS last_turn,
    count(*) AS turns,
    total(${METERED_INPUT}) AS input_tokens,
    total(${used('cacheReadTokens')}) AS cached_tokens,
    total(${used('outputTokens')}) AS output_tokens,
    total(${used('microUsd')}) AS micro_usd,
    total(${reported('inputTokens')}) AS reported_input_tokens,
    total(${reported('cachedTokens')}) AS reported_cached_tokens,
    total(${reported('outputTokens')}) AS reported_output_tokens,
    sum(CAST(${reported('usd')} AS REAL)) AS reported_usd
  FROM ended WHERE session_id IS NOT NULL GROUP BY session_id
)
INSERT OR REPLACE INTO session
SELECT
  @slug, sums.session_id, begun.detail ->> '$.provider', begun.detail ->> '$.providerVersion',
  coalesce(run.agent_name, ''), '${CWD}', first_turn, last_turn, turns,
  input_tokens, cached_tokens, output_tokens, micro_usd,
  reported_input_tokens, reported_cached_tokens, reported_output_tokens, reported_usd, @now,
  CASE
    WHEN (SELECT detail ->> '$.agent.outcome' FROM ended WHERE turn = last_turn) = 'unknown_session' THEN 'lost'
    WHEN last_turn < (SELECT max(last_turn) FROM sums) THEN 'rotated'
  END
FROM sums
LEFT JOIN run ON run.slug = @slug
LEFT JOIN turn AS begun ON begun.slug = @slug AND begun.event = 'begun' AND begun.turn = last_turn`;

const SPENT = `
SELECT count(*) AS turns, total(${METERED_INPUT} + ${used('outputTokens')}) AS tokens, total(${used('microUsd')}) AS microUsd
FROM turn WHERE event = 'ended' AND at >= ?`;

/** Table `session`: what the rows of ended turns add up to. Errors: `StoreError`. */
export function createSessionStore(connection: Connection): SessionStore {
  const update = connection.prepare<[{ slug: string; now: number }]>(UPDATE);
  const select = connection.prepare<[string], StoredSession>(
    'SELECT * FROM session WHERE slug = ? ORDER BY first_turn, last_turn',
  );
  const spent = connection.prepare<[number], Amounts>(SPENT);
  return {
    update: (slug, updatedAt) => void update.run({ slug, now: updatedAt }),
    ofRun: (slug) => select.all(slug).map(fromStored),
    spentSince: (epochMs) => spent.get(epochMs) ?? NOTHING,
  };
}

function fromStored(stored: StoredSession): SessionRow {
  return {
    slug: stored.slug,
    sessionId: stored.session_id,
    provider: stored.provider,
    providerVersion: stored.provider_version,
    agent: stored.agent,
    cwd: stored.cwd,
    firstTurn: stored.first_turn,
    lastTurn: stored.last_turn,
    turns: stored.turns,
    inputTokens: stored.input_tokens,
    cachedTokens: stored.cached_tokens,
    outputTokens: stored.output_tokens,
    microUsd: stored.micro_usd,
    reportedInputTokens: stored.reported_input_tokens,
    reportedCachedTokens: stored.reported_cached_tokens,
    reportedOutputTokens: stored.reported_output_tokens,
    reportedUsd: stored.reported_usd,
    updatedAt: stored.updated_at,
    endedReason: stored.ended_reason,
  };
}
