import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { createAcknowledger } from '../../../src/webhook/dispatch/acknowledge.js';
import { startDispatcher } from '../../../src/webhook/dispatch/dispatcher.js';
import { createSegmentHandler } from '../../../src/webhook/dispatch/handle-segment.js';
import { FakeForge } from '../../support/webhook/fake-forge.js';
import { FakeGateway } from '../../support/webhook/fake-gateway.js';
import { mutatedRequest } from '../../support/webhook/mutate-delivery.js';
import type { DoorRequest } from '../../support/webhook/mutate-delivery.js';
import { plays } from '../../support/scale/plays.js';
import { seededRandom } from '../../support/faults/seeded-faults.js';
import { rawExchange } from '../../support/webhook/raw-exchange.js';
import { deliveryHeaders, SECRET } from '../../support/webhook/sign.js';
import { startWebhook } from '../../support/webhook/start-webhook.js';
import type { StartedWebhook } from '../../support/webhook/start-webhook.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';
import { agentsFrom } from '../../support/manifests/agents.js';

/** Others: `FUZZ_SEED`. */
const REQUESTS = plays(2_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_240_229);
const MAX_BODY = 128 * 1024;
/** What `receiveDelivery` and the paths around it may say; 431 is the parser's. */
const DOCUMENTED = [200, 202, 400, 401, 404, 405, 413, 415, 431];
const GROWTH_BYTES = 400 * 1024 * 1024;
const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

interface Answer {
  readonly code: number;
  readonly status: string;
}

/** The rule of the two doors, written down a second time. */
function isSigned({ path, headers, body }: DoorRequest): boolean {
  const of = (name: string): string[] =>
    headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  if (path.startsWith('/reconciled')) {
    const digest = createHmac('sha256', SECRET).update('bot-bottle-finding\n').update(body).digest('hex');
    const claims = of('x-bot-bottle-signature');
    return claims.length === 1 && claims[0] === digest;
  }
  const digest = createHmac('sha256', SECRET).update(body).digest('hex');
  const bare = of('x-gitea-signature').filter((value) => value !== '');
  const prefixed = of('x-hub-signature-256').filter((value) => value !== '');
  return (
    bare.length + prefixed.length > 0 &&
    bare.length <= 1 &&
    prefixed.length <= 1 &&
    bare.every((value) => value.toLowerCase() === digest) &&
    prefixed.every((value) => value.startsWith('sha256=') && value.slice(7).toLowerCase() === digest)
  );
}

describe('the door under mutated deliveries', function () {
  this.timeout(300_000);
  const path = useTempDir();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const accepted = new Set<string>();
  let webhook: StartedWebhook;

  before(async () => {
    const limits = { requestTimeout: 2_000, headersTimeout: 2_000, checkInterval: 100 };
    webhook = await startWebhook({ inboxFile: path('inbox.db'), limits, deps: { maxBodyBytes: MAX_BODY } });
  });
  after(async () => {
    agent.destroy();
    await webhook.stop();
  });

  function send({ path: where, method, headers, body }: DoorRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const port = webhook.listening.port;
      const all = [...headers, ['host', 'localhost'], ['content-length', String(body.length)]] as const;
      const options = { agent, host: '127.0.0.1', port, method, path: where, headers: all.flat() };
      const sent = httpRequest(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          const parsed = text === '' ? {} : (JSON.parse(text) as { status?: string });
          resolve({ code: response.statusCode ?? 0, status: parsed.status ?? '' });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  function check(one: DoorRequest, { code, status }: Answer): void {
    const about = `${one.how}: ${one.method} ${one.path} answered ${String(code)} ${status}\n${JSON.stringify(one.headers)}`;
    assert.ok(DOCUMENTED.includes(code), about);
    const hash = sha256(one.body);
    if (code === 202) {
      assert.ok(isSigned(one), `a forgery was accepted: ${about}`);
      assert.ok(one.body.length <= MAX_BODY, about);
      assert.ok(!accepted.has(hash), `accepted twice: ${about}`);
      accepted.add(hash);
    } else if (status === 'duplicate') {
      assert.ok(isSigned(one) && accepted.has(hash), about);
    } else if (one.method === 'POST' && code === 401) {
      assert.ok(!isSigned(one), `what is signed was refused: ${about}`);
    }
  }

  it('answers each as documented, accepts no forgery, and keeps what it accepted and nothing else', async () => {
    const random = seededRandom(SEED);
    const sent: DoorRequest[] = [];
    const counts = new Map<string, number>();
    const before = process.memoryUsage().rss;
    let next = 0;
    async function sender(): Promise<void> {
      while (next < REQUESTS) {
        next += 1;
        const again = sent[Math.floor(random() * sent.length)];
        const one = again !== undefined && random() < 0.05 ? again : mutatedRequest(random, next);
        if (sent.length < 500) sent.push(one);
        const answer = await send(one);
        check(one, answer);
        const key = `${String(answer.code)} ${answer.status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
    // Two at once with the same body would leave open which of them is the duplicate: one after the other a sender.
    await Promise.all(Array.from({ length: 8 }, sender));
    const seen = Object.fromEntries(counts);
    for (const code of ['200 duplicate', '200 ignored', '202 accepted', '400 malformed', '401 unauthorized'])
      assert.ok((counts.get(code) ?? 0) > 20, `too few answers ${code}: ${JSON.stringify(seen)}`);
    assert.ok(
      ['413', '415', '405', '404'].every((code) => [...counts.keys()].some((key) => key.startsWith(code))),
    );
    assert.equal(webhook.inbox.stats().total, accepted.size);
    const stored = webhook.inbox.due(Number.MAX_SAFE_INTEGER, accepted.size + 1);
    for (const { orderKey } of stored) assert.match(orderKey, /^gitea:[\w.-]+\/[\w.-]+#[1-9]\d{0,15}$/);
    assert.deepEqual(webhook.errors, []);
    assert.equal((await fetch(`${webhook.url}/healthz`)).status, 200);
    assert.ok(process.memoryUsage().rss - before < GROWTH_BYTES, 'memory grows with what is refused');
  });

  it('answers lies about lengths and broken requests, or hangs up, and stores nothing of them', async () => {
    const body = '{"action":"opened"}';
    const headers = Object.entries(deliveryHeaders(body, 'issues')).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const head = `POST /webhooks/gitea HTTP/1.1\r\nHost: x\r\n${headers.join('')}`;
    const broken = [
      ...['-1', '1e3', '0x10', '99999999999999999999', '5, 6', '', ' '].map(
        (length) => `${head}Content-Length: ${length}\r\n\r\n${body}`,
      ),
      `${head}Content-Length: 5\r\nContent-Length: 19\r\n\r\n${body}`,
      `${head}Content-Length: 19\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n${body}`,
      `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n${body}`,
      `${head}Content-Length: 500\r\n\r\n${body}`,
      `${head}Content-Length: 3\r\n\r\n${body}`,
      `${head}X: ${'a'.repeat(40_000)}\r\n\r\n`,
      `${head}X\u0000: 1\r\nContent-Length: 0\r\n\r\n`,
      'GET\r\n\r\n',
      '\u0000'.repeat(100),
      `POST ${'/'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
    ];
    const total = webhook.inbox.stats().total;
    for (const bytes of [...broken, ...broken]) {
      const answer = await rawExchange(webhook.listening.port, bytes, true).catch(() => '');
      for (const [, code] of answer.matchAll(/HTTP\/1\.1 (\d{3}) /g))
        assert.ok(
          [400, 401, 404, 408, 413, 431].includes(Number(code)),
          `${code ?? ''} to ${bytes.slice(0, 200)}`,
        );
    }
    assert.equal(webhook.inbox.stats().total, total);
    assert.deepEqual(webhook.errors, []);
    assert.equal((await fetch(`${webhook.url}/healthz`)).status, 200);
  });

  it('dispatches all that was accepted: nothing is stuck, and only what the forge confirms is started', async () => {
    const here = new FakeForge();
    const nowhere = new FakeForge();
    nowhere.places.clear();
    here.places.clear();
    here.places.set(2, { repoId: 2, owner: 'ada', repo: 'shop' });
    for (const number of [1, 3, 4, 5, 6, 7, 8]) here.putIssue(number, { labels: ['bot-bottle:coder'] });
    here.trigger(2, 1_700_000_000_000);
    const gateway = new FakeGateway();
    const outcomes = new Map<string, number>();
    const errors: unknown[] = [];
    const onError = (_message: string, error: unknown): void => void errors.push(error);
    const settings = {
      org: 'o',
      trigger: 'collaborators',
      wake: 'collaborators',
      wakeOn: 'every',
      publish: 'branch',
      ignored: new Set<string>(),
    } as const;
    let finish: () => void = () => undefined;
    const all = new Promise<void>((resolve) => (finish = resolve));
    const { inbox } = webhook;
    let skipped = 0;
    const dispatcher = startDispatcher({
      inbox,
      handle: createSegmentHandler({
        forgeFor: ({ owner, repo }) => (owner === 'ada' && repo === 'shop' ? here : nowhere).bind(),
        runs: {
          ...{
            find: () => Promise.resolve(undefined),
            triggerOf: () => Promise.resolve(undefined),
            holderOf: () => Promise.resolve(undefined),
            worksIn: () => Promise.resolve(false),
          },
        },
        agents: agentsFrom(),
        gateway,
        acknowledger: createAcknowledger({ ack: false, onRejected: () => Promise.resolve(), onError }),
        settings,
        serves: () => true,
        now: () => Date.now() + skipped,
      }),
      now: () => Date.now() + skipped,
      pollMs: 20,
      onOutcome: (outcome) => {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        skipped += 1;
        if (inbox.due(Number.MAX_SAFE_INTEGER, 1).length === 0) finish();
      },
      onError,
    });
    await all;
    await dispatcher.stop();
    assert.deepEqual(errors, []);
    assert.equal(
      [...outcomes.values()].reduce((sum, count) => sum + count, 0),
      accepted.size,
    );
    assert.deepEqual(
      ['retry', 'failed', 'malformed'].filter((outcome) => outcomes.has(outcome)),
      [],
    );
    const started = new Set(gateway.sent.filter(({ start }) => start).map(({ id }) => id));
    assert.deepEqual([...started], ['gitea:ada/shop#2']);
  });
});
