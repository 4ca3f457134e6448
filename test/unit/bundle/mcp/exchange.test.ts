import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Exchange } from '../../../../src/bundle/mcp/exchange.js';
import { until } from '../../../support/bundle/until.js';

const STEP = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p' } };
const ANSWER = { jsonrpc: '2.0', id: 1, result: {} };

describe('an exchange of MCP whose client reads nothing', () => {
  let response: ServerResponse;
  // Without a connection, what is written stays in it.
  beforeEach(() => (response = new ServerResponse(new IncomingMessage(new Socket()))));
  const begin = (keepAliveMs: number): Exchange =>
    new Exchange(response, { redact: (text) => text, mayStream: true, keepAliveMs });

  it('holds one notification for it, and the answer', () => {
    const { length } = `data: ${JSON.stringify(STEP)}`;
    const held = begin(60_000);
    held.tell(STEP);
    const first = response.writableLength;
    assert.ok(first > length);
    for (let step = 0; step < 100; step += 1) held.tell(STEP);
    assert.equal(response.writableLength, first);
    held.answer(ANSWER);
    assert.ok(response.writableLength > first);
  });

  it('holds one sign of life', async () => {
    const held = begin(1);
    const first = await until('a sign of life', () => response.writableLength || undefined);
    let ticks = 0;
    const later = setInterval(() => (ticks += 1), 1);
    await until('ten more', () => (ticks > 10 ? true : undefined));
    clearInterval(later);
    assert.equal(response.writableLength, first);
    held.answer(ANSWER);
  });
});
