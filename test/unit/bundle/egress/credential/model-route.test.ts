import assert from 'node:assert/strict';
import type http from 'node:http';
import type { ModelRule } from '../../../../../src/domain/egress/route.js';
import type { Answer } from '../../../../support/egress/clients.js';
import { SECRET, withKeyedRoute } from '../../../../support/egress/keyed-route.js';

const model: ModelRule = {
  ...{ api: 'anthropic-messages', models: ['claude-*'], allow: [], maxOutputTokens: 500 },
};
const REQUEST = { model: 'claude-opus-5', max_tokens: 1000, messages: [] };
const USAGE = { input_tokens: 10, output_tokens: 20 };

interface Asked {
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

describe('a route to a model, through the proxy that adds keys', () => {
  const { egress, get, keyed, noSecret } = withKeyedRoute();
  let asked: Asked[];
  beforeEach(() => (asked = []));

  async function provider(status = 200, answer: unknown = { usage: USAGE }): Promise<void> {
    const listener: http.RequestListener = (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        asked.push({ headers: request.headers, body });
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      });
    };
    await keyed(listener, { model, methods: ['GET', 'POST'], paths: ['/v1/'] });
  }
  const post = (body: unknown = REQUEST, path = '/v1/messages'): Promise<Answer> =>
    get(`/files${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'text/odd', 'content-md5': 'x', 'x-mine': 'kept' },
    });
  async function reported(): Promise<ReturnType<typeof egress>['reports'][number]> {
    await egress().stop();
    return egress().reports.at(-1) ?? assert.fail('nothing was reported');
  }

  it('sends what was judged, with the key and its own length and type, and says what it cost', async () => {
    await provider();
    const { status, text } = await post();
    assert.deepEqual([status, JSON.parse(text)], [200, { usage: USAGE }]);
    const [{ headers, body } = assert.fail()] = asked;
    assert.deepEqual(JSON.parse(body), { ...REQUEST, max_tokens: 500 });
    assert.deepEqual(
      [headers['content-type'], headers['content-length'], headers['content-md5'], headers['x-mine']],
      ['application/json', String(body.length), undefined, 'kept'],
    );
    assert.equal(headers['x-api-key'], SECRET);
    const [line] = await egress().lines(1);
    assert.deepEqual(
      [line?.['verdict'], line?.['status'], line?.['up'], line?.['inputTokens'], line?.['outputTokens']],
      ['allowed', 200, body.length, 10, 20],
    );
    const { model: used, lastSuccessAt } = await reported();
    assert.deepEqual([used?.use.requests, used?.use.outputTokens, used?.trouble], [1, 20, null]);
    assert.notEqual(lastSuccessAt, null);
    noSecret();
  });

  it('refuses in the provider’s form what may not be asked, for good, and asks nobody', async () => {
    await provider();
    const { status, text, headers } = await post({ ...REQUEST, model: 'gpt-5' });
    assert.deepEqual([status, headers['x-should-retry']], [403, 'false']);
    assert.match(
      text,
      /^\{"type":"error","error":\{"type":"permission_error","message":"bot-bottle: the model/,
    );
    assert.deepEqual(asked, []);
    const [line] = await egress().lines(1);
    assert.deepEqual([line?.['verdict'], line?.['status'], line?.['route']], ['refused', 403, 'files']);
    const { refusals, model: used } = await reported();
    assert.deepEqual([refusals.length, used], [1, null]);
  });

  it('tells of a provider that fails, which is no sign of life', async () => {
    await provider(529, { error: {} });
    assert.equal((await post()).status, 529);
    await egress().lines(1);
    const { model: used, lastSuccessAt } = await reported();
    assert.deepEqual([used?.trouble, used?.use.failed], [{ kind: 'overloaded', status: 529 }, 1]);
    assert.equal(lastSuccessAt, null);
  });

  it('counts for nothing, and as no sign of life, when it only counts', async () => {
    await provider();
    assert.equal((await post(REQUEST, '/v1/messages/count_tokens')).status, 200);
    await egress().lines(1);
    const { model: used, lastSuccessAt } = await reported();
    assert.deepEqual([used, lastSuccessAt], [null, null]);
  });

  it('reads no body of what is not posted', async () => {
    await provider();
    assert.equal((await get('/files/v1/models')).status, 200);
    const [{ body } = assert.fail()] = asked;
    assert.equal(body, '');
  });
});
