import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { gitleaksProgram } from '../../../src/wiring/secret-guard-of-config.js';
import { broughtPrograms } from '../../../src/wiring/find-executable.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('the programs that script/bootstrap brings', () => {
  const path = useTempDir();
  const before = process.env['BOT_BOTTLE_CACHE'];

  afterEach(() => {
    if (before === undefined) delete process.env['BOT_BOTTLE_CACHE'];
    else process.env['BOT_BOTTLE_CACHE'] = before;
  });

  it('are looked for where BOT_BOTTLE_CACHE had it put them', () => {
    process.env['BOT_BOTTLE_CACHE'] = path('cache');
    mkdirSync(path('cache/bin'), { recursive: true });
    writeFileSync(path('cache/bin/brought-scanner'), '', { mode: 0o755 });
    assert.equal(gitleaksProgram({ GITLEAKS: 'brought-scanner' }), path('cache/bin/brought-scanner'));
  });

  it('are in ~/.cache/bot-bottle/bin without it', () => {
    process.env['BOT_BOTTLE_CACHE'] = '';
    assert.equal(broughtPrograms(), `${homedir()}/.cache/bot-bottle/bin`);
  });
});
