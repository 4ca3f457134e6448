import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { ByteSource } from '../../../../../src/bundle/egress/tls/byte-source.js';
import { passHellos } from '../../../../../src/bundle/egress/tls/hellos.js';
import { HOST, HOSTILE_HELLOS } from '../../../../support/egress/hostile-hellos.js';

describe('a hello that may not reach the host', () => {
  for (const { name, bytes, why } of HOSTILE_HELLOS)
    it(`is refused with the reason: ${name}`, async () => {
      const [client, server] = [new PassThrough(), new PassThrough()];
      client.end(bytes);
      const [from, to] = [new ByteSource(client), new ByteSource(server)];
      const sides = {
        ...{ client: from, server: to },
        toServer: () => assert.fail('it reached the host'),
        toClient: () => undefined,
      };
      const passage = await passHellos(sides, {
        host: HOST,
        allowsEncryptedHello: () => false,
        helloMs: 60_000,
      });
      from.release();
      to.release();
      assert.ok(passage.kind === 'refused', passage.kind);
      assert.match(passage.why, why);
    });
});
