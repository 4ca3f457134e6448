import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { operatorName } from '../../../src/wiring/operator/operator-name.js';
import { openProvenance } from '../../../src/wiring/operator/open-provenance.js';
import type { RunRecord } from '../../../src/domain/provenance/record.js';
import type { Problem } from '../../../src/domain/provenance/verify-record.js';
import { ENDED, FROZEN, RecordedHome } from '../../support/provenance/recorded-home.js';
import { cliWith } from '../../unit/cli/small-world.js';

interface Verified {
  readonly ok: boolean;
  readonly runs: readonly {
    readonly slug: string;
    readonly pruned: boolean;
    readonly problems: readonly Problem[];
  }[];
  readonly ledger: readonly Problem[];
}

describe('bot-bottle provenance prune', () => {
  let home: RecordedHome;

  beforeEach(async () => {
    home = await RecordedHome.make();
  });
  afterEach(async () => {
    await home.remove();
  });

  const run = (...args: string[]): ReturnType<ReturnType<typeof cliWith>['run']> =>
    cliWith({ deps: { provenance: () => openProvenance(home.dir) } }).run('provenance', ...args);
  const verified = async (...args: string[]): Promise<Verified> =>
    JSON.parse((await run('verify', '--json', ...args)).stdout) as Verified;
  const record = async (slug: string): Promise<RunRecord> =>
    JSON.parse((await run('show', slug, '--json')).stdout) as RunRecord;
  const write = (sql: string, ...values: readonly string[]): void => {
    const database = new SqliteDatabase(home.file);
    try {
      database.prepare(sql).run(...values);
    } finally {
      database.close();
    }
  };
  const prune = async (): Promise<void> => {
    const { code, stdout, stderr } = await run('prune', ENDED, '--yes', '--reason', 'a year is over');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^coder-alice-demo-12-abcde: \d+ rows are gone/);
  };

  const refuses = async (slug: string, why: RegExp): Promise<void> => {
    const { code, stderr } = await run('prune', slug, '--yes');
    assert.match(stderr, why);
    assert.equal(code, EXIT.refused);
  };

  it('removes the rows, and leaves a whole chain, who did it and a signed word of it', async () => {
    const before = await record(ENDED);
    await prune();
    const after = await record(ENDED);
    assert.deepEqual(after.entries.slice(0, before.entries.length), before.entries);
    assert.deepEqual(
      after.rows.map(({ source, columns }) => [source, columns['kind']]),
      [
        ['operatorCommand', 'done'],
        ['operatorCommand', 'prune'],
      ],
    );
    assert.equal(after.rows.at(-1)?.columns['who'], operatorName());
    assert.equal(after.rows.at(-1)?.columns['detail'], '{"reason":"a year is over"}');
    assert.equal(after.seals.at(-1)?.reason, 'pruned');
    const { ok, runs, ledger } = await verified();
    assert.equal(ok, true, JSON.stringify({ runs, ledger }));
    assert.equal(runs.find(({ slug }) => slug === ENDED)?.pruned, true);
    assert.equal(runs.find(({ slug }) => slug === FROZEN)?.pruned, false);
    assert.match((await run('show', ENDED)).stdout, /^1 +pruned +run/m);
    assert.match((await run('verify', ENDED)).stdout, /pruned/);
  });

  it('is verified elsewhere, too', async () => {
    await prune();
    const file = join(home.dir, 'export.json');
    writeFileSync(file, (await run('export', ENDED)).stdout);
    writeFileSync(join(home.dir, 'key.pem'), (await run('key')).stdout);
    const { ok } = await verified('--file', file, '--key', join(home.dir, 'key.pem'));
    assert.equal(ok, true);
    assert.match((await run('export', ENDED, '--html')).stdout, /Its rows were removed on command/);
  });

  it('is done to no run that goes on, that is damaged or that was pruned before, and not without --yes', async () => {
    await refuses(FROZEN, /has not ended: bot-bottle signal/);
    assert.equal((await run('prune', ENDED)).code, 2);
    assert.equal((await run('prune', 'nobody', '--yes')).code, 3);
    write('drop trigger operation_no_update');
    write(`update operation set target = '#13' where slug = ? and turn = 1`, ENDED);
    await refuses(ENDED, /not whole/);
    write(`update operation set target = '#12' where slug = ?`, ENDED);
    await prune();
    await refuses(ENDED, /was pruned already/);
  });

  it('leaves what the budget of the day is counted from', async () => {
    const today = { slug: ENDED, turn: 3, event: 'ended', at: Date.now(), detail: {} } as const;
    await home.database.runs.appendTurn(today);
    await refuses(ENDED, /ran today.*prune it tomorrow/);
  });

  it('is the only way: without a seal that says so no row can go', async () => {
    for (const table of ['run', 'turn', 'operation', 'proposal', 'proposal_decision'])
      assert.throws(() => {
        write(`delete from ${table} where slug = ?`, ENDED);
      }, /append-only/);
    await prune();
    assert.throws(() => {
      write('delete from run where slug = ?', FROZEN);
    }, /append-only/);
    assert.throws(() => {
      write('delete from operator_command where slug = ?', ENDED);
    }, /append-only/);
  });

  it('does not hide what is done to its word, to who did it, or to rows of others', async () => {
    await prune();
    for (const table of ['provenance_seal', 'operator_command', 'run'])
      for (const verb of ['delete', 'update']) write(`drop trigger ${table}_no_${verb}`);
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [
        `update provenance_seal set reason = 'destroyed' where slug = ? and reason = 'pruned'`,
        ENDED,
        /reason/,
      ],
      [
        `update operator_command set who = 'nobody@here' where slug = ? and kind = 'prune'`,
        ENDED,
        /operatorCommand/,
      ],
      [`delete from operator_command where slug = ? and kind = 'prune'`, ENDED, /operatorCommand/],
      [`delete from run where slug = ?`, FROZEN, /row run/],
      [`delete from provenance_seal where slug = ? and n = 3`, ENDED, /row turn/],
    ];
    for (const [sql, slug, said] of cases) {
      write(sql, slug);
      const { ok, runs } = await verified();
      assert.equal(ok, false, sql);
      const found = runs.find((one) => one.slug === slug)?.problems ?? [];
      assert.match(JSON.stringify(found), said, sql);
    }
  });
});
