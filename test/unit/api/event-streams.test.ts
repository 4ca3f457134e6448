import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { EventStreams } from '../../../src/api/event-streams.js';
import type { ApiToken } from '../../../src/domain/api/api-token.js';

class Written extends EventEmitter {
  headersSent = false;
  writableEnded = false;
  writesAfterEnd = 0;
  status = () => this;
  setHeader = () => this;
  flushHeaders = () => {
    this.headersSent = true;
  };
  write = () => {
    if (this.writableEnded) this.writesAfterEnd += 1;
    return true;
  };
  end = () => {
    this.writableEnded = true;
  };
}

describe('a stream of events', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  it('writes nothing behind its end, though its token was being looked up then', async () => {
    const token = { id: '0', name: '', scope: 'read', createdAt: 0, expiresAt: 1 } as const;
    const happens = new EventEmitter();
    const found = once(happens, 'found').then((): ApiToken => token);
    const ended = once(happens, 'ended');
    const streams = new EventStreams({
      ...{ tokens: { find: () => found }, now: () => 0 },
      onError: () => undefined,
    });
    const response = new Written();
    const sent = streams.send(
      { headers: {}, method: 'GET' } as Request,
      response as unknown as Response,
      () =>
        Promise.resolve({
          [Symbol.asyncIterator]: () => ({
            next: () => ended.then(() => ({ done: true, value: undefined })),
          }),
        }),
    );
    mock.timers.tick(10_000);
    happens.emit('ended');
    await sent;
    assert.ok(response.headersSent && response.writableEnded);
    happens.emit('found');
    await setImmediate();
    assert.equal(response.writesAfterEnd, 0);
  });

  it('is not begun for a client that left while its token was looked up: nothing would end it', async () => {
    const streams = new EventStreams({
      ...{ tokens: { find: () => Promise.resolve(undefined) }, now: () => 0 },
      onError: () => undefined,
    });
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const asked = once(server, 'request') as Promise<[Request, Response]>;
      const client = request(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
      client.on('error', () => undefined).end();
      const [incoming, response] = await asked;
      const closed = once(response, 'close');
      client.destroy();
      await closed;
      let opened = false;
      await streams.send(incoming, response, () => {
        opened = true;
        return Promise.reject(new Error('opened'));
      });
      assert.equal(opened, false);
    } finally {
      server.close();
    }
  });
});
