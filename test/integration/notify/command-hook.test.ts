import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { commandHook } from '../../../src/adapters/notify/command-hook.js';
import type { Sent } from '../../../src/domain/notify/hooks.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

const BODY = '{"id":"a","justification":"$(touch /x); `id` \\u001b"}';

describe('the command that tells people', () => {
  const path = useTempDir();
  let count = 0;
  const program = (script: string): string => {
    const file = path(`a program ${String((count += 1))}.sh`);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const send = (
    script: string,
    { limitMs = 5_000, body = BODY, stopped = new AbortController().signal, env = process.env } = {},
  ): Promise<Sent> => commandHook({ path: program(script), env, limitMs }).send({ id: 'a', body }, stopped);
  const whyOf = (sent: Sent): string => (sent.kind === 'told' ? '' : sent.why);

  it('gets the JSON on its standard input, no argument, and nothing of our environment that it does not need', async () => {
    const [input, args, variables] = [path('input'), path('args'), path('env')];
    const env = {
      PATH: process.env['PATH'],
      HOME: '/home/x',
      TEMPORAL_API_KEY: 'key-of-ours',
      TZ: undefined,
    };
    const sent = await send(`cat > '${input}'; echo "$#" > '${args}'; env > '${variables}'`, { env });
    assert.deepEqual(sent, { kind: 'told' });
    assert.equal(readFileSync(input, 'utf8'), BODY);
    assert.equal(readFileSync(args, 'utf8'), '0\n');
    const names = readFileSync(variables, 'utf8')
      .split('\n')
      .map((line) => line.split('=')[0]);
    // The shell adds its own.
    assert.deepEqual(
      names.filter((name) => name !== '' && !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name ?? '')).sort(),
      ['HOME', 'PATH'],
    );
  });

  it('need not read it', async () => {
    const body = `"${'x'.repeat(1_000_000)}"`;
    assert.deepEqual(await send('exit 0', { body }), { kind: 'told' });
  });

  it('is tried again when it fails, with the beginning of what it printed, harmless', async () => {
    const sent = await send(`printf 'no \\033[2Jmail'; printf ' server' >&2; exit 3`);
    assert.match(whyOf(sent), /^it ended with 3: (?:no \\u\{1b\}\[2Jmail server| servern?o.*)/);
    const flood = await send('yes | head -c 5000000; exit 1');
    assert.ok(whyOf(flood).length < 10_000, String(whyOf(flood).length));
    assert.match(whyOf(await send('kill -9 $$')), /^it ended with SIGKILL/);
  });

  it('that cannot be started is tried again', async () => {
    const file = path('no-program');
    writeFileSync(file, 'text');
    for (const missing of [path('missing'), file]) {
      const sent = await commandHook({ path: missing, env: {} }).send(
        { id: 'a', body: BODY },
        new AbortController().signal,
      );
      assert.equal(sent.kind, 'again');
      assert.match(whyOf(sent), /cannot be started: .*(?:ENOENT|EACCES)/);
    }
  });

  it('ends at its limit with all that it started, and when the worker stops', async () => {
    const mark = path('late');
    const begun = Date.now();
    const sent = await send(`(sleep 1; echo late > '${mark}') & sleep 30`, { limitMs: 300 });
    assert.match(whyOf(sent), /did not end in time and was killed/);
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 100);
    assert.equal((await send('sleep 30', { stopped: stopping.signal })).kind, 'again');
    assert.ok(Date.now() - begun < 5_000);
    await sleep(1_200);
    assert.throws(() => readFileSync(mark), /ENOENT/);
  });

  it('ends at its limit, whatever is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const sending = send('sleep 5', { limitMs: 600 });
    for (let round = 0; round < 6; round += 1) {
      await sleep(50);
      collect();
    }
    assert.match(whyOf(await sending), /did not end in time and was killed/);
  });

  it('is over when it has ended, though something keeps its output open', async () => {
    const begun = Date.now();
    assert.deepEqual(await send('setsid sleep 3 & sleep 0.3; exit 0'), { kind: 'told' });
    assert.ok(Date.now() - begun < 2_500);
  });
});
