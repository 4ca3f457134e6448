import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { builtBundle } from '../../support/bundle/built-bundle.js';
import { BundleProcess } from '../../support/bundle/bundle-process.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { overUnix, rpc } from '../../support/bundle/unix-http.js';
import { until } from '../../support/bundle/until.js';

const TOKEN = 'f00dfeedf00dfeedf00dfeedf00dfeedf00dfeed';
const HEAD = 'a'.repeat(40);

describe('the bundle process', function () {
  this.timeout(30_000);
  let file: string;
  let run: RunDirectory;
  let bundle: BundleProcess | undefined;
  /** A forge that never answers, or answers with the token in a text: what no real one can be told to do. */
  let forge: Server;
  let forgeAnswers: boolean;
  let asked: string[];

  before(() => (file = builtBundle()));

  beforeEach(async () => {
    run = new RunDirectory({ turn: 1, prNumber: null }, TOKEN);
    forgeAnswers = true;
    asked = [];
    forge = createServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? ''}`);
      if (!forgeAnswers) return;
      const user = { id: 1, login: 'alice', full_name: '', email: '' };
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: 1,
          number: 1,
          title: 'leak',
          body: `the token is ${TOKEN}`,
          state: 'open',
          labels: [],
          assignees: null,
          user,
          html_url: 'http://x/1',
          ref: '',
          is_locked: false,
          pull_request: null,
          created_at: '2026-01-01T00:00:00Z',
          updated_at: '2026-01-01T00:00:00Z',
          closed_at: null,
        }),
      );
    }).listen(0, '127.0.0.1');
    await once(forge, 'listening');
  });

  afterEach(async () => {
    await bundle?.kill('SIGKILL');
    bundle = undefined;
    forge.closeAllConnections();
    forge.close();
    run.remove();
  });

  async function start(env: Readonly<Record<string, string>> = {}): Promise<BundleProcess> {
    const { port } = forge.address() as AddressInfo;
    const started = new BundleProcess(file, run, {
      FORGE_GITEA_API: `http://127.0.0.1:${String(port)}`,
      ...env,
    });
    bundle = started;
    await started.serving();
    return started;
  }

  it('serves, and on SIGTERM writes its log and leaves within a second with code 0', async () => {
    const started = await start();
    assert.equal((await overUnix(run.socket, { method: 'GET', path: '/healthz', headers: {} })).status, 200);
    assert.equal((await rpc(run.socket, 'post_comment', { number: 9, body: 'x' })).error?.code, -32001);
    const exit = await started.kill('SIGTERM');
    assert.deepEqual([exit.code, exit.signal], [0, null]);
    assert.ok(exit.afterMs < 1000, `${String(exit.afterMs)} ms`);
    assert.deepEqual(
      run.lines().map(({ operation, target, outcome, text }) => ({ operation, target, outcome, text })),
      [
        {
          operation: 'post_comment',
          target: '#9',
          outcome: 'refused',
          text: "refused comment on #9: outside the run's scope",
        },
      ],
    );
    assert.ok(!existsSync(run.socket));
    assert.ok(run.messages().every(({ body }) => body.slug === 'dev-alice-demo-1-abcde' && body.turn === 1));
    assert.deepEqual(asked, []);
  });

  it('leaves as quickly while the forge hangs and a publish request is held, and tells of both', async () => {
    forgeAnswers = false;
    const started = await start();
    const reading = rpc(run.socket, 'read_issue', { number: 1 }).catch((error: unknown) => error);
    const held = rpc(run.socket, 'open_pr', { title: 'T', body: '' });
    await run.request(0);
    await until('the request at the forge', () => (asked.length > 0 ? true : undefined));
    const exit = await started.kill('SIGTERM');
    assert.equal(exit.code, 0);
    assert.ok(exit.afterMs < 1000, `${String(exit.afterMs)} ms`);
    assert.equal((await held).error?.code, -32004);
    await reading;
    assert.deepEqual(
      run
        .lines()
        .map(({ text }) => text)
        .sort(),
      [
        'failed open_pr: the sidecar stops; the request was passed on and is not lost',
        'failed reading issue #1: the sidecar was stopped before it ended',
      ],
    );
  });

  it('writes signal_done before it answers, after what was logged, once', async () => {
    await start();
    await rpc(run.socket, 'post_comment', { number: 9, body: 'x' });
    const done = { status: 'success', summary: 'all good\nreally' };
    assert.deepEqual((await rpc(run.socket, 'signal_done', done)).result, { ok: true });
    const kinds = run.messages().map(({ body }) => body.kind);
    assert.deepEqual(kinds, ['operations', 'done']);
    assert.deepEqual((await rpc(run.socket, 'signal_done', done)).result, { ok: true });
    assert.equal((await rpc(run.socket, 'signal_done', { ...done, summary: 'else' })).error?.code, -32005);
    const messages = run.messages().filter(({ body }) => body.kind === 'done');
    assert.equal(messages.length, 1);
    const body = messages[0]?.body;
    assert.ok(body?.kind === 'done');
    assert.deepEqual([body.status, body.summary, body.turn], ['success', 'all good\nreally', 1]);
  });

  it('gives a repeated signal_done the same id after a restart, and another in the next turn', async () => {
    const ids: string[] = [];
    for (const turn of [1, 1, 2]) {
      run.writeTurn({ turn, prNumber: null });
      const started = await start();
      await rpc(run.socket, 'signal_done', { status: 'success', summary: '' });
      await started.kill('SIGKILL');
      ids.push(
        run
          .messages()
          .filter(({ body }) => body.kind === 'done')
          .at(-1)?.id ?? '',
      );
    }
    assert.equal(ids[0], ids[1]);
    assert.notEqual(ids[1], ids[2]);
  });

  it('holds open_pr until the answer, one at a time, and only then writes to that pull request', async () => {
    await start();
    const comment = { number: 31, body: 'x' };
    assert.equal((await rpc(run.socket, 'post_comment', comment)).error?.code, -32001);
    const first = rpc(run.socket, 'open_pr', { title: 'T', body: 'B' });
    const second = rpc(run.socket, 'open_pr', { title: 'T', body: 'B' });
    const request = await run.request(0);
    assert.ok(request.body.kind === 'open_pr');
    assert.deepEqual([request.body.title, request.body.body, request.body.turn], ['T', 'B', 1]);
    assert.equal(
      (await rpc(run.socket, 'post_comment', comment)).error?.code,
      -32001,
      'not before the answer',
    );
    assert.equal(run.messages().filter(({ body }) => body.kind === 'open_pr').length, 1);
    run.answer(request.id, { kind: 'published', pr: 31, url: 'http://x/31', head: HEAD });
    assert.deepEqual((await first).result, { published: true, number: 31, commit: HEAD });
    const next = await run.request(1);
    assert.notEqual(next.id, request.id);
    run.answer(next.id, { kind: 'refused', reason: 'nothing new' });
    assert.deepEqual((await second).result, { published: false, reason: 'nothing new' });
    const written = await rpc(run.socket, 'update_description', comment);
    assert.notEqual(written.error?.code, -32001);
    assert.ok(
      asked.some((line) => /^PATCH \S*\/repos\/alice\/demo\/(issues|pulls)\/31 /.test(line)),
      asked.join('\n'),
    );
  });

  it('grants the pull request although the client that asked has gone', async () => {
    await start();
    const leave = new AbortController();
    const gone = rpc(run.socket, 'open_pr', { title: 'T', body: '' }, leave.signal);
    const request = await run.request(0);
    leave.abort();
    await assert.rejects(gone);
    run.answer(request.id, { kind: 'published', pr: 31, url: 'http://x/31', head: HEAD });
    await until('the scope to grow', async () => {
      const { error } = await rpc(run.socket, 'update_description', { number: 31, body: 'x' });
      return error?.code === -32001 ? undefined : true;
    });
  });

  it('knows a pull request whose answer came while it was away', async () => {
    const started = await start();
    const lost = assert.rejects(rpc(run.socket, 'open_pr', { title: 'T', body: '' }));
    const request = await run.request(0);
    await started.kill('SIGKILL');
    await lost;
    run.answer(request.id, { kind: 'published', pr: 31, url: 'http://x/31', head: HEAD });
    await start();
    const { error } = await rpc(run.socket, 'update_description', { number: 31, body: 'x' });
    assert.notEqual(error?.code, -32001);
  });

  it('uses the token and never shows it', async () => {
    const started = await start();
    const answer = await overUnix(run.socket, {
      body: JSON.stringify({ jsonrpc: '2.0', id: TOKEN, method: 'read_issue', params: { number: 1 } }),
    });
    assert.match(answer.text, /the token is \[secret\]/);
    assert.ok(asked[0]?.endsWith(` token ${TOKEN}`), asked[0]);
    await rpc(run.socket, TOKEN, {});
    await rpc(run.socket, 'signal_done', { status: 'failed', summary: `see ${TOKEN}` });
    await started.kill('SIGTERM');
    assert.ok(run.messages().length > 0);
    for (const text of [answer.text, started.stderr, JSON.stringify(run.messages())])
      assert.ok(!text.includes(TOKEN));
  });

  it('says what is missing and leaves with code 78, the token unmentioned', async () => {
    const missing: [() => void, Record<string, string>, string][] = [
      [() => undefined, { FORGE_OWNER: '' }, 'FORGE_OWNER is not set'],
      [() => undefined, { FORGE_ISSUE_NUMBER: '1/../2' }, 'FORGE_ISSUE_NUMBER must be'],
      [
        () => {
          rmSync(join(run.root, 'forge-token'));
        },
        {},
        'forge-token cannot be read',
      ],
      [
        () => {
          rmSync(join(run.in, 'turn.json'));
        },
        {},
        'turn.json cannot be read',
      ],
    ];
    for (const [spoil, env, message] of missing) {
      spoil();
      bundle = new BundleProcess(file, run, env);
      assert.equal((await bundle.exited).code, 78);
      assert.ok(bundle.stderr.includes(message), bundle.stderr);
      assert.ok(!bundle.stderr.includes(TOKEN));
      assert.deepEqual(readdirSync(join(run.root, 'sock')), []);
    }
  });
});
