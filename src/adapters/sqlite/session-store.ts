import { sql, type RawBuilder } from 'kysely';
import { NOTHING, type Amounts } from '../../domain/run/budget.js';
import type { SessionStore } from '../../domain/run/stores.js';
import type { StateDb } from './state-tables.js';

/** The agent container's working directory, the same for every turn of every run. */
const CWD = '/workspace';

const used = (name: string): RawBuilder<unknown> =>
  sql`coalesce(detail ->> ${sql.lit(`$.model.use.${name}`)}, 0)`;
const reported = (name: string): RawBuilder<unknown> =>
  sql`detail ->> ${sql.lit(`$.agent.reported.${name}`)}`;
const METERED_INPUT = sql.join(['inputTokens', 'cacheReadTokens', 'cacheWriteTokens'].map(used), sql` + `);

/**
 * From the rows of the turns alone, so that nothing is counted twice. `total`, not `sum`: what an agent reports may be
 * larger than any integer of SQLite's.
 */
const update = (slug: string, now: number): RawBuilder<unknown> => sql`
WITH ended AS (
  SELECT turn, detail, detail ->> '$.sessionId' AS session_id FROM turn WHERE slug = ${slug} AND event = 'ended'
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
  ${slug}, sums.session_id, begun.detail ->> '$.provider', begun.detail ->> '$.providerVersion',
  coalesce(run.agent_name, ''), ${CWD}, first_turn, last_turn, turns,
  input_tokens, cached_tokens, output_tokens, micro_usd,
  reported_input_tokens, reported_cached_tokens, reported_output_tokens, reported_usd, ${now},
  CASE
    WHEN (SELECT detail ->> '$.agent.outcome' FROM ended WHERE turn = last_turn) = 'unknown_session' THEN 'lost'
    WHEN last_turn < (SELECT max(last_turn) FROM sums) THEN 'rotated'
  END
FROM sums
LEFT JOIN run ON run.slug = ${slug}
LEFT JOIN turn AS begun ON begun.slug = ${slug} AND begun.event = 'begun' AND begun.turn = last_turn`;

const spentSince = (epochMs: number): RawBuilder<Amounts> => sql`
SELECT count(*) AS turns, total(${METERED_INPUT} + ${used('outputTokens')}) AS tokens, total(${used('microUsd')}) AS micro_usd
FROM turn WHERE event = 'ended' AND at >= ${epochMs}`;

/** Table `session`: what the rows of ended turns add up to. Errors: `StoreError`. */
export function createSessionStore(db: StateDb): SessionStore {
  return {
    update: async (slug, updatedAt) => {
      await update(slug, updatedAt).execute(db);
    },
    ofRun: (slug) =>
      db
        .selectFrom('session')
        .selectAll()
        .where('slug', '=', slug)
        .orderBy('firstTurn')
        .orderBy('lastTurn')
        .execute(),
    spentSince: async (epochMs) => (await spentSince(epochMs).execute(db)).rows[0] ?? NOTHING,
  };
}
