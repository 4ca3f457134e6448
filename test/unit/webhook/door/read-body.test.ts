import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { readBody } from '../../../../src/webhook/door/read-body.js';

const BYTES = 100_000;

describe('the body of a delivery', () => {
  it('in chunks of one byte is read right, and no chunk is kept', async () => {
    const request = Object.assign(new EventEmitter(), { headers: {}, complete: true });
    const reading = readBody(request as unknown as IncomingMessage, BYTES);
    // Always the same one: who keeps chunks has the last byte a hundred thousand times.
    const chunk = Buffer.alloc(1);
    for (let at = 0; at < BYTES; at += 1) {
      chunk[0] = at % 251;
      request.emit('data', chunk);
    }
    request.emit('end');
    const read = await reading;
    assert.ok(read.kind === 'complete');
    assert.ok(read.bytes.every((byte, at) => byte === at % 251));
    assert.equal(read.bytes.length, BYTES);
    assert.ok(read.bytes.buffer.byteLength <= 2 * BYTES, 'what is held is bounded');
  });
});
