import { NOTHING } from '../../domain/run/budget.js';
import type { Database as Connection } from 'better-sqlite3';
import { existsSync } from 'node:fs';
import type {
  Database,
  ForgeStateStore,
  OperatorLog,
  PauseTable,
  RunStore,
  SessionStore,
} from '../../domain/run/stores.js';
import { openForReading } from './connection.js';
import { createForgeStateStore } from './forge-state-store.js';
import { latestVersion } from './migrate.js';
import { createOperatorLog } from './operator-log.js';
import { createPauseTable } from './pause-table.js';
import { createRunStore } from './run-store.js';
import { createSessionStore } from './session-store.js';
import { STATE_MIGRATIONS } from './schema.js';
import { StoreError } from './store-error.js';

interface Opened {
  readonly connection: Connection;
  readonly forgeState: ForgeStateStore;
  readonly runs: RunStore;
  readonly sessions: SessionStore;
  readonly operatorLog: OperatorLog;
  readonly pauses: PauseTable;
}

/**
 * `bot-bottle.db` for the processes that only look: webhook and CLI. Opened at the first read that finds a file with a
 * schema; until then it is simply empty, so the order in which processes start does not matter.
 * Errors: every write is a `StoreError`; a read of a file that is older (not yet migrated) or newer is one too.
 */
export function openDatabaseReadOnly(file: string): Database {
  let opened: Opened | undefined;

  function current(): Opened | undefined {
    opened ??= open(file);
    return opened;
  }

  return {
    forgeState: {
      get: (subject) => current()?.forgeState.get(subject),
      ofRun: (slug) => current()?.forgeState.ofRun(slug),
      all: () => current()?.forgeState.all() ?? [],
      running: () => current()?.forgeState.running() ?? [],
      upsert: refuse,
      delete: refuse,
      checkedIn: refuse,
    },
    runs: {
      run: (slug) => current()?.runs.run(slug),
      turns: (slug) => current()?.runs.turns(slug) ?? [],
      operations: (slug) => current()?.runs.operations(slug) ?? [],
      appendRun: refuse,
      appendTurn: refuse,
      appendOperations: refuse,
    },
    sessions: {
      ofRun: (slug) => current()?.sessions.ofRun(slug) ?? [],
      spentSince: (epochMs) => current()?.sessions.spentSince(epochMs) ?? NOTHING,
      update: refuse,
    },
    operatorLog: {
      latest: (limit, slug) => current()?.operatorLog.latest(limit, slug) ?? [],
      append: refuse,
    },
    pauses: {
      all: () => current()?.pauses.all() ?? [],
      add: refuse,
      remove: refuse,
    },
    // One consistent view over several reads; a plain BEGIN, since there is nothing to write.
    transaction: <T>(work: () => T): T => {
      const database = current();
      return database ? database.connection.transaction(work).deferred() : work();
    },
    close: () => {
      opened?.connection.close();
      opened = undefined;
    },
  };

  function refuse(): never {
    throw new StoreError(`${file} is open for reading only: only the worker writes it`);
  }
}

function open(file: string): Opened | undefined {
  if (!existsSync(file)) return undefined;
  const { connection, version } = openForReading(file, STATE_MIGRATIONS);
  const latest = latestVersion(STATE_MIGRATIONS);
  if (version === latest) {
    return {
      connection,
      forgeState: createForgeStateStore(connection),
      runs: createRunStore(connection),
      sessions: createSessionStore(connection),
      operatorLog: createOperatorLog(connection),
      pauses: createPauseTable(connection),
    };
  }
  connection.close();
  if (version === 0) return undefined;
  throw new StoreError(
    `${file} has schema version ${String(version)} of ${String(latest)}: start the worker, it migrates the file`,
    { retryable: true },
  );
}
