/** Composition root of `logs`: the files of a run, and what the rows say of its turns. */
import path from 'node:path';
import { agentProvider, providerNames } from '../adapters/agents/registry.js';
import { keptTurns, logSize, readLog, runDirectory } from '../adapters/files/run/log-file.js';
import { LocalRunFiles } from '../adapters/files/run/run-files.js';
import { openDatabaseReadOnly } from '../adapters/sqlite/open-database-read-only.js';
import { turnEndOf } from '../cli/logs/turn-end.js';
import type { RunLogs, TurnFacts } from '../cli/base/run-logs.js';
import { rowOf } from '../cli/runs/row-of-target.js';
import type { TurnRow } from '../domain/run/rows.js';

const CHUNK_BYTES = 256 * 1024;

/** @param home `$BOT_BOTTLE_HOME`, whose worker may run or not */
export function runLogs(home: string): RunLogs {
  const database = openDatabaseReadOnly(path.join(home, 'bot-bottle.db'));
  const files = new LocalRunFiles({ home, forgeToken: noSecret, secret: noSecret });

  /** A slug's files say enough: rows that cannot be read are none. */
  const orNothing = <T, N>(reading: Promise<T>, nothing: N): Promise<T | N> => reading.catch(() => nothing);
  const rowsOf = (slug: string): Promise<readonly TurnRow[]> => orNothing(database.runs.turns(slug), []);

  async function facts(slug: string, turn: number): Promise<TurnFacts> {
    const rows = (await rowsOf(slug)).filter((row) => row.turn === turn);
    const begun = rows.find(({ event }) => event === 'begun');
    const ended = rows.find(({ event }) => event === 'ended');
    const record = await files.readTurn(slug, turn).catch(() => undefined);
    const { provider, providerVersion, cause } = begun?.detail ?? {};
    const known =
      typeof provider === 'string'
        ? { name: provider, version: typeof providerVersion === 'string' ? providerVersion : null }
        : null;
    return {
      provider: known ?? record?.provider ?? null,
      begunAt: begun?.at ?? null,
      cause: typeof cause === 'string' ? cause : null,
      end: ended === undefined ? null : turnEndOf(ended),
    };
  }

  return {
    async find(target) {
      if (target.kind === 'subject') return (await rowOf(database, target))?.slug;
      const { slug } = target;
      if ((await runDirectory(home, slug)) !== 'none') return slug;
      const run = await orNothing(database.runs.run(slug), undefined);
      return (run ?? (await orNothing(database.forgeState.ofRun(slug), undefined)))?.slug;
    },
    async turns(slug) {
      const turns = new Set([
        ...(await rowsOf(slug)).map(({ turn }) => turn),
        ...(await keptTurns(home, slug)),
      ]);
      return [...turns].sort((a, b) => a - b);
    },
    facts,
    size: (slug, turn) => logSize(home, slug, turn),
    read: (slug, turn, offset) => readLog(home, slug, turn, { offset, maxBytes: CHUNK_BYTES }),
    async isOver(slug) {
      const row = await orNothing(database.forgeState.ofRun(slug), undefined);
      if (row !== undefined) return row.status === 'destroyed';
      // A later life has the row, or the rows cannot be read.
      const isKnown = (await orNothing(database.runs.run(slug), undefined)) !== undefined;
      return isKnown || (await runDirectory(home, slug)) === 'ended';
    },
    reader(name, version) {
      if (!providerNames().includes(name)) return undefined;
      const provider = agentProvider(name);
      return isSameLine(provider.version, version) ? provider.reader() : undefined;
    },
    close: () => database.close(),
  };
}

/** Releases that differ in their last number only print the same events. */
function isSameLine(ours: string | null, theirs: string | null): boolean {
  const line = (version: string | null): string | undefined => version?.split('.').slice(0, 2).join('.');
  return line(ours) === line(theirs);
}

function noSecret(): Promise<never> {
  return Promise.reject(new Error('logs places no secret'));
}
