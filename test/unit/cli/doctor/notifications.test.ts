import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { notificationsFinding } from '../../../../src/cli/doctor/notifications.js';
import { loadConfig } from '../../../../src/config/load-config.js';
import { doctorProbes } from '../../../../src/wiring/doctor-probes.js';
import { testHooks } from '../../../../src/wiring/notify-hooks.js';
import { openDatabase } from '../../../../src/adapters/sqlite/open-database.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';
import { mkdirSync } from 'node:fs';

const NONE = { command: null, webhook: null, givenUp: 0, failing: 0 };
const COMMAND = { path: '/h/tell', executable: true };

describe('what doctor says of the notification hooks', () => {
  const path = useTempDir();

  it('is fine with none, and with those that work', () => {
    assert.match(notificationsFinding(NONE).found, /no hook is set/);
    const both = notificationsFinding({ ...NONE, command: COMMAND, webhook: 'https://hooks.example/x' });
    assert.deepEqual(both, { state: 'ok', found: '/h/tell, https://hooks.example/x' });
  });

  it('names a command that cannot be started, and counts what nobody was told', () => {
    const broken = notificationsFinding({ ...NONE, command: { ...COMMAND, executable: false } });
    assert.equal(broken.state, 'fail');
    assert.match(broken.remedy ?? '', /chmod \+x/);
    const failing = notificationsFinding({ ...NONE, command: COMMAND, failing: 2, givenUp: 1 });
    assert.deepEqual(
      [failing.state, failing.found],
      ['warn', '/h/tell; could not be told: 3, 1 of them given up'],
    );
  });

  it('is found by the settings, and in the rows', async () => {
    const home = path('home');
    const database = await openDatabase(`${home}/bot-bottle.db`);
    const note = { id: 'a', hook: 'command', state: 'given_up', tries: 3, firstAt: 1, dueAt: 1 } as const;
    await database.notices.write([note, { ...note, hook: 'webhook' }]);
    await database.close();
    const file = path('tell');
    const probe = (): ReturnType<ReturnType<typeof doctorProbes>['notifications']> =>
      doctorProbes({ BOT_BOTTLE_HOME: home, NOTIFY_COMMAND: file }).notifications();
    const found = { command: { path: file, executable: false }, webhook: null, givenUp: 1, failing: 0 };
    assert.deepEqual(await probe(), found);
    writeFileSync(file, '#!/bin/sh\n');
    assert.deepEqual(await probe(), found);
    chmodSync(file, 0o755);
    assert.deepEqual(await probe(), { ...found, command: { path: file, executable: true } });
    // A directory has the right, too.
    mkdirSync(path('directory'));
    const other = doctorProbes({ BOT_BOTTLE_HOME: home, NOTIFY_COMMAND: path('directory') });
    assert.equal((await other.notifications()).command?.executable, false);
  });

  it('comes with a secret that is asked for as soon as the address is set', async () => {
    const env = { BOT_BOTTLE_HOME: path('home'), NOTIFY_WEBHOOK_URL: 'https://hooks.example/x' };
    const names = doctorProbes(env)
      .secrets()
      .map(({ name, state }) => `${name} ${state}`);
    assert.ok(names.includes('notify-secret missing'), names.join());
    const signal = new AbortController().signal;
    await assert.rejects(testHooks(loadConfig(env).config, signal), /bot-bottle secret set notify-secret/);
    mkdirSync(path('home/secrets'));
    writeFileSync(path('home/secrets/notify-secret'), 'whsec_c2hvcnQ=', { mode: 0o600 });
    await assert.rejects(testHooks(loadConfig(env).config, signal), /no base64 of 24 bytes/);
  });

  it('goes nowhere in plain text but to this machine', () => {
    const load = (url: string): unknown =>
      loadConfig({ BOT_BOTTLE_HOME: path('home'), NOTIFY_WEBHOOK_URL: url }).config.NOTIFY_WEBHOOK_URL;
    for (const url of [
      'http://127.0.0.1:9/x',
      'http://localhost/x',
      'http://[::1]:9/x',
      'https://10.0.0.1/x',
    ])
      assert.equal(load(url), url);
    for (const url of [
      'http://hooks.example/x',
      'http://10.0.0.1/x',
      'http://127.0.0.1.example/x',
      'ftp://a/',
    ])
      assert.throws(() => load(url), /NOTIFY_WEBHOOK_URL: expected (?:an )?http/, url);
    assert.throws(
      () => loadConfig({ BOT_BOTTLE_HOME: path('home'), NOTIFY_COMMAND: 'mail -s x me' }),
      /NOTIFY_COMMAND: expected a path/,
    );
  });
});
