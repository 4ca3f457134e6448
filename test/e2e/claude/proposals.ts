import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { openProvenance } from '../../../src/wiring/operator/open-provenance.js';
import { bridgeAddress } from '../../support/model-api/bridge-address.js';
import type { ModelApi } from '../../support/model-api/model-api.js';
import { say, use, type Answer } from '../../support/model-api/script.js';
import { Intruder } from '../../support/provenance/intruder.js';
import { proposed } from '../../support/stack/proposed.js';
import { SecretSearch } from '../../support/stack/secret-search.js';
import { waitUntil } from '../../support/stack/stack.js';
import { Tmux } from '../../support/tui/tmux.js';
import { aroundClaude, claudeStack, configNow, KEY } from './stack.js';

const ASK = `node -e 'fetch("http://127.0.0.1:3129/notes/").then((a) => a.text().then((t) => console.log(a.status, t)))'`;

describe('an agent that is stuck and asks for more', function () {
  this.timeout(300_000);
  const search = new SecretSearch({ key: KEY });
  let api: ModelApi;
  let notes: Server;
  let hook: string;
  /** Runs of tests before. */
  let earlier: readonly string[] = [];

  const { stack, open } = claudeStack();
  before(async () => {
    ({ api, hook } = aroundClaude());
    notes = createServer((_, response) => response.end('the walrus'));
    notes.listen(0, await bridgeAddress());
    await once(notes, 'listening');
  });
  after(() => {
    notes.close();
  });

  /** What people were told, by the command of the settings. */
  async function told(): Promise<readonly { readonly id: string; readonly reason?: string }[]> {
    const text = await readFile(join(hook, 'told'), 'utf8').catch(() => '');
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as { id: string; reason?: string });
  }

  const current = (file: string): ReturnType<typeof configNow> => configNow(stack().home, earlier, file);

  function wantsRoute(): Answer {
    const { text, hash } = current('routes.json');
    const { routes } = JSON.parse(text) as { readonly routes: readonly unknown[] };
    const { address, port } = notes.address() as AddressInfo;
    const route = {
      name: 'notes',
      upstream: `http://${address}:${String(port)}`,
      methods: ['GET'],
      paths: ['/'],
    };
    return use('mcp__supervise__cred-proxy-block', {
      proposed_file: JSON.stringify({ routes: [...routes, route] }),
      justification: 'The issue wants the notes.',
      current_file_hash: hash,
    });
  }

  function wantsHost(): Answer {
    const { text, hash } = current('allowlist');
    return use('mcp__supervise__pipelock-block', {
      proposed_file: `${text}docs.example.org\n`,
      justification: 'The docs are there.',
      current_file_hash: hash,
    });
  }

  const shell = (command: string): Answer => use('Bash', { command, description: 'Run' });
  const done = (status: string): Answer =>
    use('mcp__bottle__signal_done', { status, summary: 'As far as I can.' });
  const has = (pattern: RegExp) => (request: { readonly text: string }) => {
    // As it was before it was written as JSON inside JSON.
    assert.match(request.text.replaceAll(/\\+/g, ''), pattern);
  };

  const waiting = async (tool: string): Promise<string> =>
    (await proposed(stack(), `by ${tool}`, (one) => one.tool === tool)).id;

  /** The operator in a terminal, who reads what it would do before anything is agreed to. */
  async function approveInDashboard(id: string, effect: RegExp): Promise<void> {
    const tmux = await Tmux.start(stack().env);
    try {
      await tmux.paste('node dist/cli.js dashboard\n');
      await tmux.sees(new RegExp(`> ${id.slice(0, 8)} `), 30_000);
      await tmux.keys('Enter');
      await tmux.sees(effect);
      await tmux.keys('a');
      await tmux.sees(/approve it\? y\/n/);
      await tmux.keys('y');
      await tmux.sees(new RegExp(`${id.slice(0, 8)} of .*: approved, in effect now`), 60_000);
      await tmux.sees(/decided: approved by /);
      await tmux.keys('q');
      await tmux.sees(/\$ *$/);
    } finally {
      await tmux.stop();
    }
  }

  async function operator(...args: readonly string[]): Promise<string> {
    return stack().run(['proposals', ...args]);
  }

  const auditOf = async (component: string, slug: string): Promise<readonly string[]> =>
    (await readFile(join(stack().home, 'audit', `${component}-${slug}.log`), 'utf8')).trim().split('\n');

  it('is held until the operator agrees, and then its request passes; what is decided later wakes it', async () => {
    api.script(
      { expect: has(/You read notes/), reply: shell(ASK) },
      // The refusal says what to call.
      { expect: has(/40[34] .*cred-proxy-block/), reply: wantsRoute },
      { expect: has(/approved[^]*Read only\./), reply: shell(ASK) },
      { expect: has(/200 the walrus/), reply: wantsHost },
      { expect: has(/"status": ?"pending/), reply: done('blocked') },
      { expect: has(/ok.{1,4}: ?true/), reply: say('I wait for the docs.') },
    );
    const life = await open('Read the notes', 'Please read them.');
    const route = await waiting('cred-proxy-block');
    const shown = await operator('show', route.slice(0, 8));
    assert.match(shown, /The issue wants the notes\./);
    assert.match(shown, /route notes: GET \/ at http:.*without a secret/);
    await operator('approve', route.slice(0, 8), '--notes', 'Read only.');
    const host = await waiting('pipelock-block');
    const { slug } = await life.frozen(1, 'blocked');
    api.check();
    const isTold = async (): Promise<boolean> => {
      const notices = await told();
      return (
        notices.some(({ id }) => id === `proposal-${host}`) &&
        notices.some(({ reason }) => reason === 'blocked')
      );
    };
    await waitUntil('somebody to be told', isTold, 60_000);

    api.script(
      {
        expect: has(/operator has approved your proposal [0-9a-f]+ \(pipelock-block\)/),
        reply: shell('cat /etc/bot-bottle/current-config/allowlist'),
      },
      { expect: has(/docs\.example\.org/), reply: done('success') },
      { expect: has(/ok.{1,4}: ?true/), reply: say('Done.') },
    );
    await operator('approve', host);
    await life.frozen(2, 'done');
    api.check();

    const refused = await stack().cli(['proposals', 'reject', host, '--reason', 'too late']);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /it was approved by/);
    for (const [component, what] of [
      ['cred-proxy', /"notes":"Read only\."/],
      ['pipelock', /docs\.example\.org/],
    ] as const) {
      const lines = await auditOf(component, slug);
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', what);
    }
    const ids = (await told()).map(({ id }) => id);
    assert.deepEqual(ids, [...new Set(ids)], 'told twice');
    assert.deepEqual(await readdir(join(stack().home, 'queue', slug)).catch(() => []), []);
    assert.deepEqual((await search.below(stack().home, ['secrets'])).found, []);
  });

  it('is answered from the dashboard, and the request that was refused passes', async () => {
    earlier = readdirSync(join(stack().home, 'state'));
    const { address, port } = notes.address() as AddressInfo;
    const effect = new RegExp(`route notes: GET / at http://${address}:${String(port)}, without a secret`);
    api.script(
      { expect: has(/You read notes/), reply: shell(ASK) },
      { expect: has(/40[34] .*cred-proxy-block/), reply: wantsRoute },
      { expect: has(/"status": ?"approved/), reply: shell(ASK) },
      { expect: has(/200 the walrus/), reply: done('success') },
      { expect: has(/ok.{1,4}: ?true/), reply: say('Read.') },
    );
    const life = await open('Read them again', 'Please.');
    await approveInDashboard(await waiting('cred-proxy-block'), effect);
    await life.frozen(1, 'done');
    api.check();
  });

  it('leaves a record in which a change of any table is found', async () => {
    // What an operator does is part of it.
    for (const verb of ['pause', 'unpause']) await stack().run([verb]);
    const copy = await mkdtemp(join(tmpdir(), 'bot-bottle-record-'));
    const file = join(copy, 'bot-bottle.db');
    const live = new SqliteDatabase(join(stack().home, 'bot-bottle.db'), { readonly: true });
    await live.backup(file);
    live.close();
    await cp(join(stack().home, 'provenance'), join(copy, 'provenance'), { recursive: true });
    const desk = openProvenance(copy);
    const problems = async (): Promise<number> => {
      const { runs, ledger } = await desk.verifyAll();
      return ledger.length + runs.reduce((sum, run) => sum + run.problems.length, 0);
    };
    const intruder = new Intruder(file);
    try {
      assert.equal(await problems(), 0);
      // Every change there is: `tampering.test.ts`.
      assert.deepEqual(await intruder.changeOneOfEach(async () => (await problems()) > 0), []);
      assert.equal(await problems(), 0);
    } finally {
      intruder.close();
      await desk.close();
      await rm(copy, { recursive: true });
    }
  });
});
