/**
 * What the ledger costs: the rows of a turn with their entries and a seal, beside the same rows as plain INSERTs into a database
 * of the same durability. And how fast a home's whole record is verified.
 */
import SqliteDatabase from 'better-sqlite3';
import { join } from 'node:path';
import { sealRun } from '../../src/activities/rows/seal-run.js';
import { homeSigner } from '../../src/adapters/dsse/signing-keys.js';
import { openDatabase } from '../../src/adapters/sqlite/open-database.js';
import type { OperationRow, TurnRow } from '../../src/domain/run/rows.js';
import type { Signer } from '../../src/domain/provenance/seal.js';
import type { Database } from '../../src/domain/run/stores.js';
import { openProvenance } from '../../src/wiring/operator/open-provenance.js';
import { cleaningUp, inDirectory } from '../base/clean-up.js';
import { median, plainFigure, ratioFigure, type Figure, type Round } from '../base/figure.js';
import { interleaved } from '../base/interleave.js';

/** Calls on the forge in a turn. */
const OPERATIONS = 20;
const TURNS_A_ROUND = 100;
/** Rounds that are not counted: a worker has lived for longer than it takes until its code is compiled. */
const WARM_UP = 5;
/** Of one run. */
const TURNS_A_RUN = 4;
/** Runs whose record is verified; each has one turn of the size above. */
const RUNS = 1_000;

/** More is better: the share of the plain INSERTs' speed that is left. */
export async function provenanceAppend(rounds: number): Promise<Figure> {
  return inHome(async (home, database) => {
    const signer = homeSigner(home);
    // The same tables with the same indexes, for those are not the ledger's.
    const file = join(home, 'plain.db');
    await (await openDatabase(file)).close();
    const plain = new SqliteDatabase(file);
    plain.pragma('synchronous = FULL');
    const turn = plain.prepare('insert into turn (slug, turn, event, at, detail) values (?, ?, ?, ?, ?)');
    const operation = plain.prepare(
      `insert into operation (slug, turn, id, at, operation, target, outcome, text) values (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const insertTurn = (row: TurnRow) =>
      turn.run(row.slug, row.turn, row.event, row.at, JSON.stringify(row.detail));
    const measured: Round[] = [];
    const nextOf = { plain: rowsInTurn(), ledger: rowsInTurn() };
    for (let round = 0; round < WARM_UP + rounds; round += 1) {
      const times = await interleaved(
        ['plain', 'ledger'],
        {
          plain: () => {
            const { begun, ended, operations } = nextOf.plain();
            plain.transaction(() => insertTurn(begun)).immediate();
            plain
              .transaction(() => {
                for (const row of operations)
                  operation.run(
                    ...[row.slug, row.turn, row.id, row.at, row.operation, row.target, row.outcome, row.text],
                  );
                insertTurn(ended);
              })
              .immediate();
            return Promise.resolve();
          },
          ledger: () => {
            return append(signer, database, nextOf.ledger());
          },
        },
        TURNS_A_ROUND,
      );
      // The turn's time the other way round: a share of the speed.
      if (round >= WARM_UP)
        measured.push({ measured: 1_000 / median(times.ledger), floor: 1_000 / median(times.plain) });
    }
    plain.close();
    return ratioFigure(measured, { goal: 0.5, better: 'more', unit: '/s' });
  });
}

/** Rows a second, the reading of them included. */
export async function provenanceVerify(rounds: number): Promise<Figure> {
  return inHome(async (home, database) => {
    const signer = homeSigner(home);
    for (let run = 1; run <= RUNS; run += 1) await append(signer, database, rowsOf(`run-${String(run)}`, 1));
    const desk = openProvenance(home);
    const speeds: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const began = performance.now();
      const { runs, ledger } = await desk.verifyAll();
      const ms = performance.now() - began;
      const rows = runs.reduce((sum, { entries }) => sum + entries, 0);
      if (rows !== RUNS * (OPERATIONS + 2)) throw new Error(`${String(rows)} rows were verified`);
      if (ledger.length + runs.flatMap(({ problems }) => problems).length > 0)
        throw new Error('a problem was found');
      if (round > 0) speeds.push((rows * 1_000) / ms);
    }
    await desk.close();
    const notes = [`${String(RUNS)} runs, each with a seal`];
    return plainFigure(speeds, { goal: 20_000, unit: 'rows/s', better: 'more', notes });
  });
}

async function inHome<T>(work: (home: string, database: Database) => Promise<T>): Promise<T> {
  return inDirectory(async (home) => {
    const database = await openDatabase(join(home, 'bot-bottle.db'));
    return cleaningUp(
      () => database.close(),
      () => work(home, database),
    );
  });
}

/** As the worker does it: a transaction when the turn begins, and one when it has ended, which ends with a seal. */
async function append(signer: Signer, database: Database, { begun, ended, operations }: Rows): Promise<void> {
  await database.transaction((stores) => stores.runs.appendTurn(begun));
  await database.transaction(async (stores) => {
    await stores.runs.appendOperations(operations);
    await stores.runs.appendTurn(ended);
    await sealRun(stores, signer, { slug: ended.slug, reason: 'frozen', at: ended.at });
  });
}

/** Turn after turn, run after run. */
function rowsInTurn(): () => Rows {
  let number = 0;
  return () => {
    number += 1;
    return rowsOf(`run-${String(Math.floor(number / TURNS_A_RUN))}`, number);
  };
}

interface Rows {
  readonly begun: TurnRow;
  readonly ended: TurnRow;
  readonly operations: readonly OperationRow[];
}

function rowsOf(slug: string, turn: number): Rows {
  const at = 1_700_000_000_000 + turn;
  const detail = {
    sessionId: 'session',
    publish: { kind: 'pushed', head: turn.toString(16).padStart(40, '0') },
  };
  return {
    begun: { slug, turn, event: 'begun', at, detail: { cause: 'wake' } },
    ended: { slug, turn, event: 'ended', at, detail },
    operations: Array.from({ length: OPERATIONS }, (_, index) => ({
      ...{ slug, turn, id: `${String(turn)}-${String(index)}`, at, operation: 'read_issue' },
      ...{ target: 'alice/demo#12', outcome: 'ok', text: 'read an issue and its comments' },
    })),
  };
}
