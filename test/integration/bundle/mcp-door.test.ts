import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { FORGE_METHODS } from '../../../src/bundle/forge/methods.js';
import { serveHttpOnUnixSocket, type HttpUnixServer } from '../../../src/bundle/jsonrpc/http-unix.js';
import { mcpDoor } from '../../../src/bundle/mcp/mcp-door.js';
import { callTool, connected, WAYS } from '../../support/bundle/mcp-clients.js';
import { planeFixture, type PlaneFixture } from '../../support/bundle/plane-fixture.js';
import { overUnix, type UnixAnswer, type UnixRequest } from '../../support/bundle/unix-http.js';
import { until } from '../../support/bundle/until.js';

const KEEP_ALIVE_MS = 30;
/** A whole request must have arrived by then; how long its answer takes is another matter. */
const REQUEST_TIMEOUT_MS = 150;

describe('MCP over HTTP on a Unix socket', () => {
  let directory: string;
  let socketPath: string;
  let server: HttpUnixServer;
  let fixture: PlaneFixture;
  let faults: unknown[];
  let client: Client | undefined;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'bundle-mcp-'));
    socketPath = join(directory, 'forge.sock');
    fixture = planeFixture();
    faults = [];
    server = await serveHttpOnUnixSocket({
      socketPath,
      posts: new Map([
        [
          '/mcp',
          mcpDoor({
            name: 'bottle',
            tools: FORGE_METHODS,
            call: async (name, params) => ({ kind: 'answered', ...(await fixture.plane.call(name, params)) }),
            instructions: '',
            redact: (text) => text,
            onFault: (fault) => faults.push(fault),
            messagesPerMinute: 1000,
            now: () => performance.now(),
            keepAliveMs: KEEP_ALIVE_MS,
          }),
        ],
      ]),
      limits: { requestTimeoutMs: REQUEST_TIMEOUT_MS },
    });
  });

  afterEach(async () => {
    await client?.close();
    client = undefined;
    await server.close(100);
    rmSync(directory, { recursive: true });
    assert.deepEqual(faults, []);
  });

  const post = (body: unknown, options: UnixRequest = {}): Promise<UnixAnswer> =>
    overUnix(socketPath, { path: '/mcp', body: JSON.stringify(body), ...options });
  const call = (id: unknown): unknown => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'open_pr', arguments: { title: 'T', body: 'B' } },
  });
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const streaming = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

  /** Makes open_pr wait until what is returned is called. */
  function hold(): () => void {
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (finish = resolve));
    fixture.publish = async () => {
      await held;
      return { kind: 'published', pr: 21, url: 'http://forge/21', head: 'c'.repeat(40) };
    };
    return finish;
  }

  it('answers what is soon ready as JSON, to clients of events too', async () => {
    for (const headers of [streaming, { 'content-type': 'application/json' }]) {
      const { status, headers: got, text } = await post(PING, { headers });
      assert.deepEqual(
        [status, got['content-type'], JSON.parse(text)],
        [200, 'application/json', { jsonrpc: '2.0', id: 1, result: {} }],
      );
    }
  });

  it('answers what takes long as events, with signs of life before', async () => {
    const finish = hold();
    const answer = post(call(1), { headers: streaming });
    await until('the call', () => (fixture.requests.length > 0 ? true : undefined));
    setTimeout(finish, 5 * KEEP_ALIVE_MS);
    const { headers, text } = await answer;
    assert.equal(headers['content-type'], 'text/event-stream');
    assert.match(text, /^(: still under way\n\n){2,}event: message\ndata: \{.*"id":1.*\}\n\n$/);
  });

  it('answers as JSON, however late, who does not take events', async () => {
    const finish = hold();
    const answer = post(call(1));
    await until('the call', () => (fixture.requests.length > 0 ? true : undefined));
    setTimeout(finish, 3 * REQUEST_TIMEOUT_MS);
    const { headers, text } = await answer;
    assert.equal(headers['content-type'], 'application/json');
    assert.match(text, /published/);
  });

  for (const [way, connect] of WAYS) {
    it(`keeps a client waiting longer than its own limit by telling of progress, over ${way}`, async () => {
      const finish = hold();
      client = await connected(connect(socketPath));
      let told = 0;
      const answer = callTool(
        client,
        'open_pr',
        { title: 'T', body: 'B' },
        { timeout: 1000, resetTimeoutOnProgress: true, onprogress: () => (told += 1) },
      );
      const began = performance.now();
      await until('longer than the limit', () => (performance.now() - began > 1500 ? true : undefined));
      finish();
      assert.equal((await answer).isError, false);
      assert.ok(told > 5, String(told));
    });
  }

  it('carries on with a call whose client has gone', async () => {
    const finish = hold();
    const leave = new AbortController();
    const gone = post(call(1), { headers: streaming, signal: leave.signal });
    await until('the call', () => (fixture.requests.length > 0 ? true : undefined));
    leave.abort();
    await assert.rejects(gone);
    finish();
    await until('the line of the call', () => fixture.log.find(({ text }) => text === 'published to PR #21'));
    assert.equal((await post(PING)).status, 200);
  });

  it('takes notifications, which change nothing', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', id: 1, result: {} },
      {
        jsonrpc: '2.0',
        method: 'tools/call',
        params: { name: 'post_comment', arguments: { number: 12, body: 'x' } },
      },
    ]) {
      const { status, text } = await post(message);
      assert.deepEqual([status, text], [202, '']);
    }
    assert.deepEqual(fixture.forge.calls, []);
  });

  it('has no stream to open and no session to end', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await overUnix(socketPath, { method, path: '/mcp', headers: streaming });
      assert.deepEqual([status, headers['allow']], [405, 'POST']);
    }
    assert.equal(
      (await post(PING, { headers: { ...streaming, 'mcp-session-id': 'of another life' } })).status,
      200,
    );
  });
});
