import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import Docker from 'dockerode';
import { createContainer } from '../../../../src/adapters/docker/create-container.js';

describe('creating a container', () => {
  it('puts nothing but its name into the address, which proxies log', async () => {
    const asked: unknown[] = [];
    const engine = createServer((request, response) => {
      void json(request).then((body) => {
        asked.push(request.url, body);
        response.writeHead(201).end('{"Id":"f00d"}');
      });
    }).listen(0, '127.0.0.1');
    try {
      await once(engine, 'listening');
      const { port } = engine.address() as AddressInfo;
      const docker = new Docker({ host: '127.0.0.1', port, protocol: 'http' });
      const options = { Image: 'i', Env: ['A=b'], HostConfig: { Init: true } };
      assert.equal((await createContainer(docker, { ...options, name: 'bb-x' })).id, 'f00d');
      assert.deepEqual(asked, ['/containers/create?name=bb-x', options]);
    } finally {
      engine.closeAllConnections();
      engine.close();
    }
  });
});
