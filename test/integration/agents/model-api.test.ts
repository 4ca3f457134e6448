import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask } from '../../support/egress/clients.js';
import { ModelApi } from '../../support/model-api/model-api.js';
import { say, status, use } from '../../support/model-api/script.js';

const TOOLS = [{ name: 'mcp__bottle__read_issue', type: 'function' }];

describe('the stub of the model APIs', () => {
  let api: ModelApi;
  beforeEach(async () => {
    api = await ModelApi.start();
  });
  afterEach(() => api.close());

  function post(path: string, body: object): Promise<Response> {
    return fetch(`${api.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  }
  const messages = (more: object = {}): Promise<Response> =>
    post('/v1/messages', { model: 'claude-x', tools: TOOLS, ...more });

  it('says the same as a stream and as a whole, in both dialects', async () => {
    for (const path of ['/v1/messages', '/v1/responses']) {
      const reply = say('Hello there', { usage: { input: 3, cacheRead: 2, output: 1 } });
      api.script({ reply }, { reply });
      const whole = await (await post(path, { model: 'm', tools: TOOLS })).text();
      const stream = await (await post(path, { model: 'm', tools: TOOLS, stream: true })).text();
      assert.match(whole, /Hello there/);
      const types = [...stream.matchAll(/^event: (.*)\ndata: \{"type":"(.*?)"/gm)];
      assert.ok(types.length >= 6 && types.every(([, event, type]) => event === type));
      const cached = /"(?:cache_read_input_tokens|cached_tokens)":2\b/;
      assert.match(whole, cached);
      assert.match(stream, cached);
    }
    api.check();
  });

  it('calls a tool by the end of its name, and refuses to call one that was not offered', async () => {
    api.script({ reply: use('read_issue', { number: 7 }) }, { reply: use('open_pr', {}) });
    assert.match(await (await messages()).text(), /"name":"mcp__bottle__read_issue","input":\{"number":7\}/);
    assert.equal((await messages()).status, 400);
    assert.throws(() => {
      api.check();
    }, /0 tools are called open_pr; offered: mcp__bottle__read_issue/);
  });

  it('tells the test of a request that is not as expected, of one too many and of one too few', async () => {
    api.script({
      expect: ({ text }) => {
        assert.match(text, /walrus/);
      },
      reply: say('x'),
    });
    assert.equal((await messages()).status, 400);
    assert.throws(() => {
      api.check();
    }, /walrus/);
    api.reset();
    assert.equal((await messages()).status, 400);
    assert.throws(() => {
      api.check();
    }, /no step is left/);
    api.reset();
    api.script({ reply: say('x') });
    assert.throws(() => {
      api.check();
    }, /1 steps were not asked for/);
  });

  it('answers what has no tools aside, counts tokens, and has nothing else', async () => {
    assert.match(await (await messages({ tools: [] })).text(), /A title/);
    assert.match(await (await post('/v1/messages/count_tokens', {})).text(), /"input_tokens":2/);
    assert.equal((await fetch(`${api.url}/v1/models`)).status, 404);
    assert.deepEqual(
      api.requests.map(({ path }) => path),
      ['/v1/messages', '/v1/messages/count_tokens', '/v1/models'],
    );
    api.check();
  });

  it('fails as it is told: with a status, in the middle, with an error or with garbage', async () => {
    const answer = say('Hello there');
    api.script(
      { reply: status(529, { error: 'x' }, { 'retry-after': '7' }) },
      { reply: { kind: 'broken', answer, events: 3, then: 'reset' } },
      { reply: { kind: 'broken', answer, events: 3, then: 'end' } },
      { reply: { kind: 'error_event', answer, events: 3, type: 'overloaded_error', message: 'x' } },
      { reply: { kind: 'garbage', body: '?' } },
    );
    const refused = await messages({ stream: true });
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [529, '7']);
    await assert.rejects((await messages({ stream: true })).text());
    const cut = await (await messages({ stream: true })).text();
    assert.deepEqual([cut.match(/^event/gm)?.length, cut.includes('message_stop')], [3, false]);
    assert.match(await (await messages({ stream: true })).text(), /event: error\n.*overloaded_error/);
    assert.equal(await (await messages({ stream: true })).text(), '?');
    api.check();
  });

  it('is on a Unix socket too', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'model-api-'));
    const socket = join(dir, 'model.sock');
    const both = await ModelApi.start({ socket });
    try {
      both.script({ reply: say('Hello') });
      const body = JSON.stringify({ model: 'm', tools: TOOLS });
      const { text } = await ask(socket, '/v1/messages', { method: 'POST', body });
      assert.match(text, /Hello/);
    } finally {
      await both.close();
      await rm(dir, { recursive: true });
    }
  });
});
