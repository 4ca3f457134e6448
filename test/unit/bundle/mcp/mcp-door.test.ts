import assert from 'node:assert/strict';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { JSON_RPC_CODE } from '../../../../src/bundle/jsonrpc/protocol.js';
import { KEEP_ALIVE_MS, McpHere, REQUEST_TIMEOUT_MS } from '../../../support/bundle/mcp-here.js';
import { overUnix, type UnixAnswer } from '../../../support/bundle/unix-http.js';
import { until } from '../../../support/bundle/until.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAMING = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const call = (id: unknown, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'open_pr', arguments: { title: 'T', body: 'B' }, ...params },
});

interface Answer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}
const read = ({ text }: UnixAnswer): Answer => JSON.parse(text) as Answer;

describe('MCP over HTTP on a Unix socket', () => {
  let mcp: McpHere;

  beforeEach(() => (mcp = new McpHere()));
  afterEach(async () => {
    await mcp.remove();
    assert.deepEqual(mcp.faults, []);
  });

  const called = (): Promise<true> =>
    until('the call', () => (mcp.fixture.requests.length > 0 ? true : undefined));

  it('answers what is soon ready as JSON, to clients of events too', async () => {
    await mcp.serve();
    for (const headers of [STREAMING, JSON_TYPE]) {
      const { status, headers: got, text } = await mcp.post(PING, { headers });
      assert.deepEqual(
        [status, got['content-type'], JSON.parse(text)],
        [200, 'application/json', { jsonrpc: '2.0', id: 1, result: {} }],
      );
    }
  });

  it('answers what takes long as events, with signs of life before', async () => {
    await mcp.serve();
    const finish = mcp.hold();
    const answer = mcp.post(call(1), { headers: STREAMING });
    await called();
    setTimeout(finish, 5 * KEEP_ALIVE_MS);
    const { headers, text } = await answer;
    assert.deepEqual([headers['content-type'], headers['cache-control']], ['text/event-stream', 'no-store']);
    assert.match(text, /^(: still under way\n\n){2,}event: message\ndata: \{.*"id":1.*\}\n\n$/);
  });

  it('tells of progress who asked for it, one step more each time, and nobody else', async () => {
    await mcp.serve();
    const finish = mcp.hold();
    const asked = mcp.post(call(1, { _meta: { progressToken: 'p' } }), { headers: STREAMING });
    const silent = mcp.post(call(2), { headers: STREAMING });
    await called();
    setTimeout(finish, 5 * KEEP_ALIVE_MS);
    const messages = (await asked).text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as { method?: string; params?: object });
    const [first, second] = messages;
    assert.equal(first?.method, 'notifications/progress');
    assert.deepEqual(first.params, {
      progressToken: 'p',
      progress: 1,
      message: 'open_pr is still under way',
    });
    assert.deepEqual(second?.params, { ...first.params, progress: 2 });
    assert.equal(messages.at(-1)?.method, undefined, 'the answer is the last of it');
    assert.doesNotMatch((await silent).text, /progress/);
  });

  it('answers as JSON, however late, who does not take events', async () => {
    await mcp.serve();
    const finish = mcp.hold();
    const answer = mcp.post(call(1, { _meta: { progressToken: 'p' } }));
    await called();
    setTimeout(finish, 2 * REQUEST_TIMEOUT_MS);
    const { headers, text } = await answer;
    assert.equal(headers['content-type'], 'application/json');
    assert.match(text, /^\{.*published.*\}$/);
  });

  it('carries on with a call whose client has gone', async () => {
    await mcp.serve();
    const finish = mcp.hold();
    const leave = new AbortController();
    const gone = mcp.post(call(1), { headers: STREAMING, signal: leave.signal });
    await called();
    leave.abort();
    await assert.rejects(gone);
    finish();
    await until('the line of the call', () =>
      mcp.fixture.log.find(({ text }) => text === 'published to PR #21'),
    );
    assert.equal((await mcp.post(PING)).status, 200);
  });

  it('takes notifications, which change nothing', async () => {
    await mcp.serve();
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
      const { status, text } = await mcp.post(message);
      assert.deepEqual([status, text], [202, '']);
    }
    assert.deepEqual(mcp.fixture.forge.calls, []);
  });

  it('has no stream to open and no session to end', async () => {
    await mcp.serve();
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await overUnix(mcp.socketPath, {
        ...{ method, path: '/mcp', headers: STREAMING },
      });
      assert.deepEqual([status, headers['allow']], [405, 'POST']);
    }
    assert.equal(
      (await mcp.post(PING, { headers: { ...STREAMING, 'mcp-session-id': 'of another life' } })).status,
      200,
    );
  });

  const refused: [what: string, body: string, headers: object, code: number, why: RegExp][] = [
    ['what is no JSON', '{', {}, JSON_RPC_CODE.parseError, /not JSON/],
    ['a batch', JSON.stringify([PING]), {}, JSON_RPC_CODE.invalidRequest, /no batches/],
    ['another JSON-RPC', '{"method":"ping"}', {}, JSON_RPC_CODE.invalidRequest, /"jsonrpc" must be "2\.0"/],
    [
      'a request without a name for its answer',
      JSON.stringify({ ...PING, id: null }),
      {},
      ...([JSON_RPC_CODE.invalidRequest, /"id" must be a string or a number/] as const),
    ],
    [
      'a version of MCP that is not known',
      JSON.stringify(PING),
      { 'mcp-protocol-version': '1999-01-01' },
      ...([JSON_RPC_CODE.invalidRequest, /unsupported protocol version; there are 20\d\d-.*, 20/] as const),
    ],
  ];
  for (const [what, body, headers, code, why] of refused) {
    it(`refuses ${what} with 400 and the reason`, async () => {
      await mcp.serve();
      const answer = await mcp.post(undefined, { body, headers: { ...JSON_TYPE, ...headers } });
      const { id, error } = read(answer);
      assert.deepEqual([answer.status, id, error?.code], [400, null, code]);
      assert.match(error?.message ?? '', why);
    });
  }

  it('takes a version of MCP that it knows', async () => {
    await mcp.serve();
    const headers = { ...JSON_TYPE, 'mcp-protocol-version': LATEST_PROTOCOL_VERSION };
    assert.equal((await mcp.post(PING, { headers })).status, 200);
  });

  it('has a limit for what is no tool call, says how long to wait, and takes tool calls all the same', async () => {
    await mcp.serve({ messagesPerMinute: 1, now: () => 500 });
    assert.equal(read(await mcp.post(PING)).error, undefined);
    const { id, error } = read(await mcp.post({ ...PING, id: 'second' }));
    assert.deepEqual([id, error?.code], ['second', JSON_RPC_CODE.rateLimited]);
    assert.match(error?.message ?? '', /too many requests: wait 60 s$/);
    assert.deepEqual(error?.data, { retryAfterMs: 60_000 });
    for (const each of [1, 2]) assert.match((await mcp.post(call(each))).text, /published/);
  });

  it('lets out no secret, in answers and in events', async () => {
    await mcp.serve({ redact: (text) => text.replaceAll('published', '[secret]') });
    assert.match((await mcp.post(call(1))).text, /\[secret\]/);
    const finish = mcp.hold();
    const answer = mcp.post(call(2), { headers: STREAMING });
    await until('the call', () => (mcp.fixture.requests.length > 1 ? true : undefined));
    setTimeout(finish, 2 * KEEP_ALIVE_MS);
    assert.match((await answer).text, /^: still.*\[secret\]/s);
  });
});
