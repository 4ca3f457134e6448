import assert from 'node:assert/strict';
import type { ProvenanceDesk } from '../../../src/cli/base/provenance-desk.js';
import { openProvenance } from '../../../src/wiring/operator/open-provenance.js';
import { Intruder, TABLES } from '../../support/provenance/intruder.js';
import { COMMIT, ENDED, FROZEN, RecordedHome } from '../../support/provenance/recorded-home.js';

describe('a record that somebody writes into', function () {
  this.timeout(60_000);
  let home: RecordedHome;
  let desk: ProvenanceDesk;
  let intruder: Intruder;

  beforeEach(async () => {
    home = await RecordedHome.make();
    desk = openProvenance(home.dir);
    intruder = new Intruder(home.file);
  });
  afterEach(async () => {
    intruder.close();
    await desk.close();
    await home.remove();
  });

  const problems = async (): Promise<string[]> => {
    const { runs, ledger } = await desk.verifyAll();
    return [...runs.flatMap((run) => run.problems), ...ledger].map(({ kind, what }) => `${kind}: ${what}`);
  };
  it('is good before', async () => {
    assert.deepEqual(await problems(), []);
    const { runs } = await desk.verifyAll();
    assert.deepEqual(
      runs.map(({ slug, entries, sealed, ended }) => ({ slug, entries, sealed, ended })),
      [
        { slug: '', entries: 1, sealed: 0, ended: false },
        { slug: ENDED, entries: 12, sealed: 12, ended: true },
        { slug: FROZEN, entries: 5, sealed: 5, ended: false },
      ],
    );
  });

  it('shows every column of every row that is changed', async () => {
    for (const table of TABLES) assert.ok(intruder.rowsOf(table).length > 0, `nothing in ${table}`);
    const { count, missed } = await intruder.changeEach(async () => (await problems()).length > 0);
    assert.deepEqual(missed, []);
    assert.ok(count > 200, String(count));
    assert.deepEqual(await problems(), []);
  });

  it('shows every row that is dropped', async () => {
    for (const table of TABLES)
      for (const row of intruder.rowsOf(table)) {
        const columns = Object.keys(row).filter((name) => name !== 'at_row');
        intruder.connection.prepare(`delete from ${table} where rowid = ?`).run(row.at_row);
        assert.ok((await problems()).length > 0, `${table} ${JSON.stringify(row)}`);
        const marks = columns.map(() => '?').join();
        intruder.connection
          .prepare(`insert into ${table} (rowid, ${columns.join()}) values (?, ${marks})`)
          .run(row.at_row, ...columns.map((name) => row[name]));
      }
    assert.deepEqual(await problems(), []);
  });

  it('shows a row that is put in', async () => {
    intruder.connection.exec(`insert into operation (slug, turn, id, at, operation, target, outcome, text)
      values ('${ENDED}', 1, 'x', 1, 'merge', '', 'ok', '')`);
    assert.deepEqual(await problems(), [`inserted: row operation ["${ENDED}","x"]`]);
    intruder.connection.exec("delete from operation where id = 'x'");
    intruder.connection
      .exec(`insert into run select 'other-a-b-1-abcde', workflow_id, subject, agent_name, bottle_names,
      trigger_actor, trigger_at, trigger_act_id, created_at from run limit 1`);
    assert.deepEqual(await problems(), ['inserted: row run ["other-a-b-1-abcde"]']);
  });

  it('shows a tail that is cut off with its entries and its seal', async () => {
    intruder.connection.exec(`delete from provenance_entry where slug = '${ENDED}' and n > 5;
      delete from provenance_seal where slug = '${ENDED}' and n = 2;
      delete from turn where slug = '${ENDED}' and turn = 2;
      delete from operation where slug = '${ENDED}' and turn = 2;
      delete from operator_command where slug = '${ENDED}';
      delete from proposal where slug = '${ENDED}';
      delete from proposal_decision where slug = '${ENDED}'`);
    const found = (await problems()).join('\n');
    assert.match(found, /truncated: the run has ended, and the seal of its end is not there/);
    assert.match(found, /dropped: entries \d+ to \d+ of the ledger of all runs/);
  });

  it('shows a run that is gone as a whole', async () => {
    for (const table of [...TABLES, 'forge_state'])
      intruder.connection.exec(`delete from ${table} where slug = '${ENDED}'`);
    assert.match((await problems()).join('\n'), /dropped: entries 1 to 5 of the ledger of all runs/);
  });

  it('shows every value of an export that is changed, and names it', async () => {
    const exported = await desk.exported(ENDED);
    assert.ok(exported);
    assert.deepEqual(desk.verifyExport(exported, []).problems, []);
    const envelope = JSON.parse(exported) as { payload: string };
    const text = Buffer.from(envelope.payload, 'base64').toString('utf8');
    assert.ok(text.includes(`"gitCommit":"${COMMIT}"`));
    let changed = 0;
    for (const [path, value] of leaves(JSON.parse(text))) {
      const statement: unknown = JSON.parse(text);
      put(statement, path, typeof value === 'number' ? value + 1 : `${String(value)}x`);
      const payload = Buffer.from(JSON.stringify(statement)).toString('base64');
      const { problems: found } = desk.verifyExport(JSON.stringify({ ...envelope, payload }), []);
      assert.equal(found[0]?.kind, 'signature', path.join('.'));
      if (path.includes('columns')) assert.ok(found.length > 1, path.join('.'));
      changed += 1;
    }
    assert.ok(changed > 150, String(changed));
    for (const broken of [
      '',
      '{}',
      '[]',
      'null',
      exported.slice(0, -9),
      exported.replace('"sig":"', '"sig":" '),
    ])
      assert.notDeepEqual(desk.verifyExport(broken, []).problems, [], broken.slice(0, 40));
  });
});

type Path = readonly (string | number)[];

function leaves(value: unknown, path: Path = []): [Path, unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]));
}

function put(target: unknown, path: Path, value: unknown): void {
  const [name = '', ...rest] = path;
  const holder = target as Record<string | number, unknown>;
  if (rest.length === 0) holder[name] = value;
  else put(holder[name], rest, value);
}
