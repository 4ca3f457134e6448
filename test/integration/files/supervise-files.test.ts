import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditLog } from '../../../src/adapters/files/supervise/audit-log.js';
import { proposalFiles } from '../../../src/adapters/files/supervise/proposal-files.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import type { AuditEntry } from '../../../src/domain/supervise/proposal-records.js';
import { ID, shownProposal, SLUG } from '../../support/supervise/shown.js';
import { withTempDir } from '../../support/files/temp-home.js';

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

describe('files of proposals that wait', () => {
  const { proposal } = shownProposal();

  it('are the seed’s JSON, private, and gone with their directory when they are removed', async () => {
    await withTempDir(async (home) => {
      const files = proposalFiles(home);
      const other = { ...proposal, id: ID.replace('3', '4') };
      for (const one of [proposal, proposal, other]) await files.write(one);
      const file = join(home, 'queue', SLUG, `${ID}.json`);
      assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), proposal);
      assert.match(await readFile(file, 'utf8'), /^\{\n {2}"id": "3f2a/);
      assert.equal(await modeOf(file), 0o600);
      assert.equal(await modeOf(join(home, 'queue', SLUG)), 0o700);
      for (const id of [ID, ID]) await files.remove(SLUG, id);
      await assert.rejects(stat(file), /ENOENT/);
      assert.equal(await modeOf(join(home, 'queue', SLUG, `${other.id}.json`)), 0o600);
      await files.remove(SLUG, other.id);
      await assert.rejects(stat(join(home, 'queue', SLUG)), /ENOENT/);
      await files.remove(SLUG, other.id);
    });
  });

  it('do nothing to a terminal that shows them', async () => {
    await withTempDir(async (home) => {
      await proposalFiles(home).write({ ...proposal, justification: 'a\u009b2J\u202eb\u001b[2J' });
      const text = await readFile(join(home, 'queue', SLUG, `${ID}.json`), 'utf8');
      assert.match(text, /^[\n -~]*$/);
      assert.match(text, /a\\u009b2J\\u202eb/);
    });
  });

  it('are nowhere else than in their run’s directory', async () => {
    await withTempDir(async (home) => {
      const files = proposalFiles(home);
      for (const wrong of [{ id: '../../x' }, { id: 'x' }, { bottle_slug: '..' }, { bottle_slug: 'a/b' }])
        await assert.rejects(files.write({ ...proposal, ...wrong }), InvalidInputError);
      await assert.rejects(files.remove('..', ID), InvalidInputError);
    });
  });
});

describe('the audit log', () => {
  const entry = (n: number): AuditEntry => ({
    at: '2026-11-23T10:00:00.000Z',
    slug: SLUG,
    proposal: String(n).repeat(32),
    tool: 'pipelock-block',
    action: 'approved',
    operator: 'alice@desk',
    justification: `"proposal":"${'9'.repeat(32)}" \u009b2J`,
    notes: '',
    diff: '@@ -1 +1,2 @@\n pypi.org\n+files.example\n',
  });
  const fileOf = (home: string): string => join(home, 'audit', `pipelock-${SLUG}.log`);
  const linesOf = async (home: string): Promise<string[]> =>
    (await readFile(fileOf(home), 'utf8')).split('\n').slice(0, -1);
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
  const previous = (line: string): unknown => (JSON.parse(line) as { previous: unknown }).previous;

  it('has a line a decision, private, each with the hash of the one before', async () => {
    await withTempDir(async (home) => {
      for (const n of [1, 2, 3]) await auditLog(home).append('pipelock', entry(n));
      await auditLog(home).append('cred-proxy', entry(4));
      const lines = await linesOf(home);
      assert.equal(await modeOf(fileOf(home)), 0o600);
      assert.equal(await modeOf(join(home, 'audit')), 0o700);
      assert.deepEqual(lines.map(previous), ['0'.repeat(64), ...lines.slice(0, 2).map(sha256)]);
      assert.deepEqual(JSON.parse(lines[1] ?? ''), { ...entry(2), previous: sha256(lines[0] ?? '') });
      assert.match(lines.join(''), /^[ -~]*$/);
    });
  });

  it('has no second line of a proposal, and takes no text of an agent for one', async () => {
    await withTempDir(async (home) => {
      const log = auditLog(home);
      for (const n of [1, 2, 1, 2, 9]) await log.append('pipelock', entry(n));
      assert.deepEqual(
        (await linesOf(home)).map((line) => (JSON.parse(line) as AuditEntry).proposal.charAt(0)),
        ['1', '2', '9'],
      );
    });
  });

  it('drops a line that a crash has cut, and gets it when it is written again', async () => {
    await withTempDir(async (home) => {
      const log = auditLog(home);
      for (const n of [1, 2]) await log.append('pipelock', entry(n));
      const whole = await readFile(fileOf(home));
      for (const bytes of [1, 40]) {
        await truncate(fileOf(home), whole.length - bytes);
        await log.append('pipelock', entry(2));
        assert.deepEqual(await readFile(fileOf(home)), whole);
      }
    });
  });

  it('goes on behind a line that somebody has broken, so that it shows', async () => {
    await withTempDir(async (home) => {
      const log = auditLog(home);
      await log.append('pipelock', entry(1));
      await appendFile(fileOf(home), 'not JSON\n');
      await log.append('pipelock', entry(2));
      const [, broken = '', last = ''] = await linesOf(home);
      assert.equal(previous(last), sha256(broken));
      const changed = (await readFile(fileOf(home), 'utf8')).replace('alice@desk', 'nobody@desk');
      await writeFile(fileOf(home), changed);
      await log.append('pipelock', entry(1));
      assert.equal(await readFile(fileOf(home), 'utf8'), changed);
    });
  });

  it('is of runs alone', async () => {
    await withTempDir(async (home) => {
      await assert.rejects(
        auditLog(home).append('pipelock', { ...entry(1), slug: '../x' }),
        InvalidInputError,
      );
    });
  });
});
