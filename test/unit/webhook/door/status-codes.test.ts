import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { allSentFirst, largePost } from '../../../support/http/all-sent-first.js';
import { issueEvent, pullEvent, statusEvent } from '../../../support/webhook/payloads.js';
import { rawExchange } from '../../../support/webhook/raw-exchange.js';
import { deliveryHeaders, SECRET } from '../../../support/webhook/sign.js';
import { MAX_BODY_BYTES, startWebhook } from '../../../support/webhook/start-webhook.js';
import type { StartedWebhook } from '../../../support/webhook/start-webhook.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

interface Answer {
  readonly code: number;
  readonly status: string;
  readonly reason: string;
}

describe('POST /webhooks/gitea', () => {
  const path = useTempDir();
  let webhook: StartedWebhook;
  let salt = 0;

  before(async () => {
    webhook = await startWebhook({
      inboxFile: path('inbox.db'),
      deps: {
        serves: ({ owner }) => owner !== 'mallory',
        worksIn: (repoId) => Promise.resolve(repoId === 9),
      },
    });
  });
  after(async () => {
    await webhook.stop();
  });

  const fresh = (): string => JSON.stringify(issueEvent({ salt: String((salt += 1)) }));

  async function post(body: string | Uint8Array, headers: Record<string, string>): Promise<Answer> {
    const init = { method: 'POST', body: Buffer.from(body), headers };
    const response = await fetch(`${webhook.url}/webhooks/gitea`, init);
    const { status, reason = '' } = (await response.json()) as { status: string; reason?: string };
    return { code: response.status, status, reason };
  }

  async function refuses(
    code: number,
    status: string,
    body: string | Uint8Array,
    headers: Record<string, string>,
  ): Promise<Answer> {
    const before = webhook.inbox.stats().total;
    const answer = await post(body, headers);
    assert.deepEqual([answer.code, answer.status], [code, status]);
    assert.ok(answer.reason.length > 10, 'says what is wrong');
    assert.equal(webhook.inbox.stats().total, before, 'stores nothing');
    return answer;
  }

  it('answers 202 once the delivery is in the inbox, and wakes the dispatcher', async () => {
    const body = fresh();
    const accepted = webhook.accepted();
    assert.equal((await post(body, deliveryHeaders(body, 'issues'))).code, 202);
    const stored = webhook.inbox.due(Date.now(), 1)[0];
    assert.ok(stored);
    assert.deepEqual([stored.eventType, stored.orderKey], ['issues', 'gitea:alice/demo#12']);
    assert.equal(stored.bodyHash, createHash('sha256').update(body).digest('hex'));
    assert.doesNotMatch(stored.hint, /Make it faster|Please|example\.org/, 'no text of a person is kept');
    assert.equal(webhook.accepted(), accepted + 1);
  });

  it('answers 200 to the same body again, whatever its delivery id', async () => {
    const body = fresh();
    await post(body, deliveryHeaders(body, 'issues'));
    await refuses(200, 'duplicate', body, {
      ...deliveryHeaders(body, 'issues'),
      'x-gitea-delivery': 'another',
    });
  });

  it('stores a body once that arrives many times at the same moment', async () => {
    const body = fresh();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(body, deliveryHeaders(body, 'issues'))),
    );
    assert.deepEqual(answers.map((answer) => answer.code).sort(), [...Array<number>(19).fill(200), 202]);
  });

  it('answers 401 without a signature and to a forged one, before it looks at type or content', async () => {
    const {
      'x-gitea-signature': _a,
      'x-hub-signature-256': _b,
      ...unsigned
    } = deliveryHeaders(fresh(), 'issues');
    await refuses(401, 'unauthorized', fresh(), unsigned);
    await refuses(401, 'unauthorized', 'not JSON', { ...unsigned, 'content-type': 'text/plain' });
    const body = fresh();
    await refuses(401, 'unauthorized', body, deliveryHeaders(body, 'issues', `${SECRET}!`));
    await refuses(401, 'unauthorized', body, deliveryHeaders(fresh(), 'issues'));
  });

  it('answers 415 to another content type and to a compressed body', async () => {
    const body = fresh();
    const form = { ...deliveryHeaders(body, 'issues'), 'content-type': 'application/x-www-form-urlencoded' };
    await refuses(415, 'unsupported_media_type', body, form);
    const packed = gzipSync(body);
    await refuses(415, 'unsupported_media_type', packed, {
      ...deliveryHeaders(packed, 'issues'),
      'content-encoding': 'gzip',
    });
  });

  it('answers 400 to what is not UTF-8, not JSON or not the shape', async () => {
    const latin1 = Buffer.from('{"action":"caf\u00e9"}', 'latin1');
    for (const body of [latin1, '{', '', '[]', '{"action":"opened"}', JSON.stringify(pullEvent())]) {
      await refuses(400, 'malformed', body, deliveryHeaders(body, 'issues'));
    }
    const body = fresh();
    const { 'x-gitea-event-type': _type, ...untyped } = deliveryHeaders(body, 'issues');
    await refuses(400, 'malformed', body, untyped);
  });

  it('answers 200 with a reason to events nobody wants and repositories that are not served', async () => {
    const push = JSON.stringify({ ref: 'refs/heads/main' });
    await refuses(200, 'ignored', push, deliveryHeaders(push, 'push'));
    const repository = { id: 8, name: 'x', full_name: 'mallory/x', owner: { login: 'mallory' } };
    const foreign = JSON.stringify({ ...issueEvent(), repository });
    const answer = await refuses(200, 'ignored', foreign, deliveryHeaders(foreign, 'issues'));
    assert.match(answer.reason, /FORGE_REPOS/);
  });

  it('takes what comes from a repository that a run works in, though it is not served any longer', async () => {
    const repository = { id: 9, name: 'x', full_name: 'mallory/x', owner: { login: 'mallory' } };
    const body = JSON.stringify({ ...issueEvent(), repository });
    assert.equal((await post(body, deliveryHeaders(body, 'issues'))).code, 202);
  });

  it('takes the outcome of a check only where a run goes on: every commit of a repository has some', async () => {
    const check = statusEvent({ sha: 'a'.repeat(40) });
    const idle = JSON.stringify(check);
    const answer = await refuses(200, 'ignored', idle, deliveryHeaders(idle, 'status'));
    assert.equal(answer.reason, 'no run goes on in alice/demo');
    const repository = { id: 9, name: 'demo', full_name: 'alice/demo', owner: { login: 'alice' } };
    const busy = JSON.stringify({ ...check, repository });
    assert.equal((await post(busy, deliveryHeaders(busy, 'status'))).code, 202);
  });

  it('takes a body of exactly the limit and answers 413 to one byte more, signed or not', async () => {
    const skeleton = JSON.stringify({ ...issueEvent(), pad: '' });
    const fits = JSON.stringify({
      ...issueEvent(),
      pad: 'x'.repeat(MAX_BODY_BYTES - skeleton.length),
    });
    assert.equal(Buffer.byteLength(fits), MAX_BODY_BYTES);
    assert.equal((await post(fits, deliveryHeaders(fits, 'issues'))).code, 202);
    await refuses(413, 'too_large', `${fits} `, deliveryHeaders(`${fits} `, 'issues'));
    await refuses(413, 'too_large', `${fits} `, { 'content-type': 'application/json' });
  });

  const head = (extra: string): string =>
    `POST /webhooks/gitea HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Gitea-Event-Type: issues\r\n${extra}\r\n`;

  it('answers 413 on the announcement alone, without waiting for the body', async () => {
    const answer = await rawExchange(webhook.listening.port, head('Content-Length: 99999999999\r\n'));
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });

  it('answers 413 in the middle of a stream without announced length, and hangs up', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const answer = await rawExchange(
      webhook.listening.port,
      head('Transfer-Encoding: chunked\r\n') + chunk.repeat(17),
    );
    assert.match(answer, /^HTTP\/1\.1 413 [^]*Connection: close/i);
  });

  for (const framing of ['length', 'chunked'] as const)
    it(`is heard when it answers 413 to a client that first sends everything (${framing})`, async () => {
      const { port } = webhook.listening;
      const post = largePost('/webhooks/gitea', 20_000_000, framing);
      assert.match(
        await allSentFirst({ port, host: '127.0.0.1' }, post),
        /^HTTP\/1\.1 413 [^]*WEBHOOK_MAX_BYTES/,
      );
    });

  it('answers 400 to a body that ends early, and to one that goes on after its announced length', async () => {
    const body = fresh();
    const sign = `X-Gitea-Signature: ${deliveryHeaders(body, 'issues')['x-gitea-signature'] ?? ''}\r\n`;
    const before = webhook.inbox.stats().total;
    const longer = `${head(`${sign}Content-Length: ${String(body.length + 10)}\r\n`)}${body}`;
    assert.match(await rawExchange(webhook.listening.port, longer, true), /^HTTP\/1\.1 400 /);
    const shorter = `${head(`${sign}Content-Length: ${String(body.length - 10)}\r\n`)}${body}`;
    assert.match(await rawExchange(webhook.listening.port, shorter, true), /^HTTP\/1\.1 40[01] /);
    assert.equal(webhook.inbox.stats().total, before);
  });

  it('refuses to be made with an empty secret', async () => {
    await assert.rejects(
      startWebhook({ inboxFile: path('none.db'), deps: { secret: '' } }),
      /secret is empty/,
    );
  });
});
