import assert from 'node:assert/strict';
import SqliteDatabase from 'better-sqlite3';
import { chmodSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SigningKeyError } from '../../../src/domain/base/errors.js';
import type { RunRecord } from '../../../src/domain/provenance/record.js';
import { openProvenance } from '../../../src/wiring/operator/open-provenance.js';
import { ENDED, FROZEN, RecordedHome } from '../../support/provenance/recorded-home.js';
import { cliWith } from '../../unit/cli/small-world.js';

describe('bot-bottle provenance', () => {
  let home: RecordedHome;
  const run = (...args: string[]): ReturnType<ReturnType<typeof cliWith>['run']> =>
    cliWith({ deps: { provenance: () => openProvenance(home.dir) } }).run('provenance', ...args);

  beforeEach(async () => {
    home = await RecordedHome.make();
  });
  afterEach(async () => {
    await home.remove();
  });

  const exportTo = async (name: string): Promise<string> => {
    const file = join(home.dir, name);
    const { code, stdout } = await run('export', ENDED);
    assert.equal(code, 0);
    writeFileSync(file, stdout);
    return file;
  };
  const keyTo = async (name: string, ...all: readonly '--all'[]): Promise<string> => {
    const file = join(home.dir, name);
    writeFileSync(file, (await run('key', ...all)).stdout);
    return file;
  };

  const signingKey = (): string => join(home.dir, 'provenance/signing-key.pem');
  const keys = async (...args: string[]): Promise<{ current: string; keys: { id: string }[] }> =>
    JSON.parse((await run(...args, '--json')).stdout) as { current: string; keys: { id: string }[] };

  it('shows what was recorded, in order, and what is sealed', async () => {
    const { code, stdout } = await run('show', ENDED);
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, 13);
    assert.match(lines[1] ?? '', /^1 +1970-01-01T00:00:01\.001Z +run +\["coder-/);
    assert.match(lines[5] ?? '', /^5 .* turn .*,1,"ended"\] +seal 1$/);
    assert.match(lines[6] ?? '', /^6 .* proposal .* seal 2$/);
    const { entries } = JSON.parse((await run('show', ENDED, '--json')).stdout) as RunRecord;
    assert.equal(entries.length, 12);
  });

  it('shows a record whose times were changed into none', async () => {
    const database = new SqliteDatabase(home.file);
    try {
      database.exec('drop trigger turn_no_update; drop trigger run_no_update');
      database.prepare('update turn set at = ? where slug = ?').run(9e15, ENDED);
      database.prepare('update run set created_at = ? where slug = ?').run('later', ENDED);
    } finally {
      database.close();
    }
    const { code, stdout, stderr } = await run('show', ENDED);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^1 +has no time +run /m);
    assert.match(stdout, /^\d+ +has no time +turn /m);
  });

  it('verifies one run, all of them, and an export by its key alone', async () => {
    assert.match((await run('verify', FROZEN)).stdout, /^ok +writer-.*: 5 entries, 5 sealed/);
    const all = await run('verify');
    assert.equal(all.code, 0);
    assert.match(all.stdout, /^ok +\(of no run\): 1 entries, 0 sealed, 1 not sealed yet$/m);
    const [file, key] = [await exportTo('export.json'), await keyTo('key.pem')];
    rmSync(join(home.dir, 'provenance'), { recursive: true });
    const { code, stdout } = await run('verify', '--file', file, '--key', key);
    assert.equal(stdout, `ok       ${ENDED}: 12 entries, 12 sealed, ended\n`);
    assert.equal(code, 0);
  });

  it('says of a home without runs that there is nothing to verify', async () => {
    const empty = join(home.dir, 'empty');
    const desk = openProvenance(empty);
    const { code, stdout } = await cliWith({ deps: { provenance: () => desk } }).run('provenance', 'verify');
    assert.deepEqual([code, stdout], [0, 'there is nothing to verify: no run was recorded yet\n']);
  });

  it('answers 1 for an export that somebody else signed', async () => {
    const file = await exportTo('export.json');
    await run('rotate-key');
    const key = await keyTo('other.pem');
    const { code, stdout } = await run('verify', '--file', file, '--key', key);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^PROBLEM .*\n +signature: the export: none of the keys is [0-9a-f]{64}; bot-bottle provenance key --all prints /m,
    );
  });

  it('signs with the new key after a rotation, and still trusts the earlier ones', async () => {
    const { current: before } = await keys('key');
    const { current: rotated } = await keys('rotate-key');
    assert.notEqual(rotated, before);
    await home.seal(FROZEN, 'destroyed', 5_000);
    assert.equal((await home.database.provenance.lastSeal(FROZEN))?.keyId, rotated);
    assert.equal((await run('verify')).code, 0);
    const { keys: all } = await keys('key', '--all');
    assert.deepEqual(all.map(({ id }) => id).sort(), [before, rotated].sort());
    assert.equal(statSync(signingKey()).mode & 0o777, 0o600);
    assert.equal(statSync(join(home.dir, 'provenance')).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(join(home.dir, 'provenance')).sort(), ['public', 'signing-key.pem']);
  });

  it('verifies what two keys signed by one file of them all, and no other by it', async () => {
    await run('rotate-key');
    const [file, all] = [await exportTo('export.json'), await keyTo('all.pem', '--all')];
    const { code, stdout } = await run('verify', '--file', file, '--key', all);
    assert.deepEqual([code, stdout], [0, `ok       ${ENDED}: 12 entries, 12 sealed, ended\n`]);
    // Of the seals before it the key that signs now knows nothing.
    assert.equal((await run('verify', '--file', file, '--key', await keyTo('now.pem'))).code, 1);
    writeFileSync(all, `keys of a home\n${readFileSync(all, 'utf8').trimEnd()}`);
    assert.equal((await run('verify', '--file', file, '--key', all)).code, 0);
    for (const tail of ['-----BEGIN PUBLIC KEY-----\n', readFileSync(signingKey(), 'utf8')]) {
      writeFileSync(join(home.dir, 'more.pem'), `${readFileSync(all, 'utf8')}\n${tail}`);
      const { stderr } = await run('verify', '--file', file, '--key', join(home.dir, 'more.pem'));
      assert.match(stderr, /not a public Ed25519 key/);
    }
  });

  it('says what is wrong with what it is given', async () => {
    const key = await keyTo('key.pem');
    const secret = signingKey();
    for (const [args, says] of [
      [['show', '../x'], /expected a slug/],
      [['show', 'nobody-a-b-1-abcde'], /nothing is recorded of nobody-a-b-1-abcde/],
      [['verify', ENDED, '--file', key], /leave the slug out/],
      [['verify', '--key', key], /--key goes with --file/],
      [['verify', '--file', join(home.dir, 'none')], /--file: there is no file /],
      [['verify', '--file', key, '--key', secret], /not a public Ed25519 key/],
    ] as const) {
      const { code, stderr } = await run(...args);
      assert.ok(code === 2 || code === 3, `${args.join(' ')}: ${String(code)}`);
      assert.match(stderr, says);
    }
    chmodSync(secret, 0o644);
    assert.match((await run('export', ENDED)).stderr, /can be read by others: chmod 600/);
  });

  it('leaves a run as it is while its key cannot be used, and goes on when it can', async () => {
    const key = signingKey();
    chmodSync(key, 0o640);
    await assert.rejects(home.seal(FROZEN, 'destroyed', 9_000), (error) => {
      assert.ok(error instanceof SigningKeyError && error.retryable);
      return true;
    });
    assert.equal((await home.database.forgeState.ofRun(FROZEN))?.phase, 'frozen');
    assert.equal((await run('verify')).code, 0);
    chmodSync(key, 0o600);
    await home.seal(FROZEN, 'destroyed', 9_000);
    assert.match((await run('verify', FROZEN)).stdout, /^ok .* ended$/m);
  });
});
