import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { answerRaw, denyTls } from '../../../../../src/bundle/egress/forward/forward-answers.js';
import {
  ForwardExchange,
  NotConnectedError,
} from '../../../../../src/bundle/egress/forward/forward-exchange.js';
import { REFUSED } from '../../../../../src/bundle/egress/forward/refusal.js';
import { UploadBudget } from '../../../../../src/bundle/egress/forward/upload-budget.js';
import { Ledger } from '../../../../../src/bundle/egress/ledger.js';
import { duplexPair } from '../../../../support/egress/duplex-pair.js';

const TARGET = { host: 'a.example', port: 443 };

describe('the line of the log of what the forward proxy was asked', () => {
  let ledger: Ledger;
  let lines: Readonly<Record<string, unknown>>[];

  beforeEach(() => {
    ledger = new Ledger(() => 5);
    lines = [];
  });
  const exchange = (target: typeof TARGET | undefined = TARGET): ForwardExchange =>
    new ForwardExchange(
      {
        ledger,
        log: (level, message, fields = {}) => {
          const { ms, ...line } = fields;
          assert.ok(Number(ms) >= 0 && Number(ms) < 60_000);
          lines.push({ level, message, ...line });
        },
      },
      'CONNECT',
      target,
    );
  const line = (fields: object, moved: object = { up: 0, down: 0 }): object => ({
    ...{ level: 'info', message: 'egress', method: 'CONNECT', ...TARGET },
    ...fields,
    ...moved,
  });
  const refusals = (): unknown => ledger.totals().refusals;

  it('is a refusal with its reason, which is counted, and the client is told how to ask', () => {
    const told = exchange().refused(new NotConnectedError(403, 'it is not allowed', 'pipelock-block'));
    assert.equal(told.status, 403);
    assert.match(told.text, /^bot-bottle: it is not allowed\.\n.*pipelock-block/s);
    assert.deepEqual(lines, [line({ verdict: 'refused', why: 'it is not allowed' })]);
    assert.deepEqual(refusals(), [{ host: 'a.example', count: 1 }]);
  });

  for (const [status, verdict] of [
    [400, 'refused'],
    [429, 'refused'],
    [502, 'failed'],
  ] as const)
    it(`is ${verdict} with ${String(status)}, which is not counted as a refusal of the host`, () => {
      const told = exchange().refused(new NotConnectedError(status, 'why'));
      assert.deepEqual(told, { status, text: 'bot-bottle: why\n' });
      assert.deepEqual(lines, [line({ verdict, why: 'why' })]);
      assert.deepEqual(refusals(), []);
    });

  it('says nothing of a fault of ours but that the host cannot be reached', () => {
    assert.deepEqual(exchange().refused(new TypeError('inner matter')), {
      ...{ status: 502, text: 'bot-bottle: cannot be reached\n' },
    });
    assert.deepEqual(lines, [line({ verdict: 'failed', why: 'cannot be reached' })]);
  });

  it('counts what is no host as such', () => {
    new ForwardExchange({ ledger, log: () => undefined }, 'GET', undefined).refused(
      new NotConnectedError(403, 'x'),
    );
    assert.deepEqual(refusals(), [{ host: 'no host name', count: 1 }]);
  });

  it('counts a hello for another host as a refusal of that one, and one for none as of the host', () => {
    exchange().refusedHello('the TLS hello is for "evil.example"', 'evil.example');
    exchange().refusedHello('the TLS hello names no host', undefined);
    assert.deepEqual(refusals(), [
      { host: 'a.example', count: 1 },
      { host: 'evil.example', count: 1 },
    ]);
    assert.deepEqual(lines[1], line({ verdict: 'refused', why: 'the TLS hello names no host' }));
  });

  it('is how it ended and what it moved, once', () => {
    const one = exchange();
    one.transfer = ledger.open('a.example', null);
    one.transfer.sent(3);
    one.transfer.received(4);
    one.ended('upload limit');
    one.ended('done');
    assert.deepEqual(lines, [line({ verdict: 'allowed', how: 'upload limit' }, { up: 3, down: 4 })]);
  });
});

describe('the forward proxy’s own words', () => {
  const said = (say: (client: ReturnType<typeof duplexPair>[0]) => void): Promise<string> => {
    const [client, proxy] = duplexPair();
    say(proxy);
    client.end();
    return text(client.setEncoding('latin1'));
  };

  for (const [status, reason] of [
    [400, 'Bad Request'],
    [403, REFUSED],
    [429, 'Too Many Requests'],
    [502, 'Bad Gateway'],
    [503, 'Error'],
  ] as const)
    it(`to a CONNECT are an answer with ${String(status)}, whole`, async () => {
      assert.equal(
        await said((client) => {
          answerRaw(client, status, 'é');
        }),
        `HTTP/1.1 ${String(status)} ${reason}\r\ncontent-type: text/plain; charset=utf-8\r\n` +
          'content-length: 2\r\nconnection: close\r\n\r\n\u00c3\u00a9',
      );
    });

  it('to a client that has its tunnel are the alert that access is denied', async () => {
    assert.equal(await said(denyTls), '\x15\x03\x01\x00\x02\x02\x31');
  });
});

describe('the bytes that may go up in a turn', () => {
  it('are all of them, and then none, however few', () => {
    const budget = new UploadBudget(10, () => undefined);
    assert.deepEqual(
      [budget.take(4), budget.isSpent, budget.take(6), budget.isSpent],
      [true, false, true, true],
    );
    assert.equal(budget.take(1), false);
    assert.equal(new UploadBudget(0, () => undefined).isSpent, true);
  });
});
