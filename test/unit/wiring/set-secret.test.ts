import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { isLock, tryLock } from '../../../src/adapters/system/lock-file.js';
import { cliDeps } from '../../../src/wiring/cli/cli-deps.js';
import { ensureHome } from '../../../src/config/home.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('secret set', () => {
  const path = useTempDir();
  const before = process.env['BOT_BOTTLE_HOME'];

  afterEach(() => {
    if (before === undefined) delete process.env['BOT_BOTTLE_HOME'];
    else process.env['BOT_BOTTLE_HOME'] = before;
  });

  it('waits while another one writes a secret and what it is bound to', async () => {
    const home = path('home');
    process.env['BOT_BOTTLE_HOME'] = home;
    ensureHome(home);
    const other = await tryLock(path('home/secrets.lock'));
    assert.ok(isLock(other));
    const bytes = new TextEncoder().encode('key-0123456789');
    const set = async () => cliDeps.setSecret('model-key', bytes, ['model.example']);
    await assert.rejects(set, /another bot-bottle secret set, process \d+, is at work/);
    assert.equal(existsSync(path('home/secrets/model-key')), false);
    await other.release();
    assert.equal(await set(), path('home/secrets/model-key'));
  });
});
