import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { apiTokensFile } from '../../../src/adapters/files/api-tokens-file.js';
import { ownIdentity } from '../../../src/adapters/system/process-identity.js';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';
import { cliWith } from '../../unit/cli/small-world.js';

const NOW = 1_700_000_000_000;
const DAY = 86_400_000;

describe('tokens of the API', () => {
  const path = useTempDir();
  let count = 0;
  let home: string;

  beforeEach(() => {
    home = dirname(path(`home-${String((count += 1))}/x`));
    mkdirSync(home, { recursive: true });
  });
  const desk = (): ReturnType<typeof apiTokensFile> => apiTokensFile(home, () => NOW);
  const cli = (): ReturnType<typeof cliWith> => cliWith({ deps: { apiTokens: desk } });
  const file = (): string => `${home}/api-tokens.json`;

  it('are kept by their hash alone, for nobody else to read', async () => {
    const { code, stdout } = await cli().run('token', 'create', '--scope', 'read', '--name', 'ci', '--json');
    assert.equal(code, EXIT.ok);
    const { token } = JSON.parse(stdout) as { token: { id: string; secret: string; expiresAt: number } };
    assert.match(token.secret, /^bbt_[\w-]{43}$/);
    assert.equal(token.expiresAt, NOW + 30 * DAY);
    const text = readFileSync(file(), 'utf8');
    assert.ok(!text.includes(token.secret) && !text.includes(token.secret.slice(4)));
    assert.ok(text.includes(createHash('sha256').update(token.secret).digest('hex')));
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    assert.equal((await desk().find(token.secret))?.id, token.id);
    assert.equal(await desk().find(`${token.secret}x`), undefined);
    const listed = await cli().run('token', 'list', '--json');
    assert.ok(!listed.stdout.includes(token.secret) && !listed.stdout.includes('hash'));
  });

  it('end with a revocation, which says so of one that is not there', async () => {
    const { stdout } = await cli().run('token', 'create', '--scope', 'operate', '--expires', '2h');
    const secret = stdout.trim();
    const [token] = await desk().list();
    assert.equal(token?.expiresAt, NOW + 2 * 3_600_000);
    assert.equal((await cli().run('token', 'revoke', token.id)).code, EXIT.ok);
    assert.equal(await desk().find(secret), undefined);
    assert.equal((await cli().run('token', 'revoke', token.id)).code, EXIT.notFound);
  });

  it('need a scope that there is and a time that is one', async () => {
    for (const flags of [[], ['--scope', 'all'], ['--scope', 'read', '--expires', 'soon']]) {
      assert.equal((await cli().run('token', 'create', ...flags)).code, EXIT.usage, flags.join(' '));
    }
    assert.deepEqual(await desk().list(), []);
  });

  it('are not lost when several are made at once', async () => {
    const made = { scope: 'read', name: '', lastsMs: DAY } as const;
    await Promise.all(Array.from({ length: 5 }, () => desk().create(made)));
    assert.equal((await desk().list()).length, 5);
  });

  it('say what to do when their file is none, without quoting it', async () => {
    writeFileSync(file(), '{"version":1,"tokens":[{"hash":"deadbeef"}]}');
    const { code, stderr } = await cli().run('token', 'list');
    assert.equal(code, EXIT.failed);
    assert.match(stderr, /api-tokens\.json is not a list of API tokens: remove it/);
    assert.ok(!stderr.includes('deadbeef'));
    await assert.rejects(desk().find('bbt_x'), /is not a list of API tokens/);
  });

  it('wait for no command that was killed, and say who is at work', async () => {
    const made = { scope: 'read', name: '', lastsMs: DAY } as const;
    const lock = `${home}/api-tokens.lock`;
    const me = { ...(await ownIdentity()), token: 'x' };
    writeFileSync(lock, JSON.stringify({ ...me, startTime: '1' }));
    // As a version before left it.
    mkdirSync(`${file()}.lock`);
    await desk().create(made);
    writeFileSync(lock, JSON.stringify(me));
    await assert.rejects(desk().create(made), new RegExp(`process ${String(process.pid)}, is at work`));
  });
});
