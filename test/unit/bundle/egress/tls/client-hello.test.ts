import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import fc from 'fast-check';
import { readClientHello } from '../../../../../src/bundle/egress/tls/client-hello.js';
import { duplexPair } from '../../../../support/egress/duplex-pair.js';
import {
  clientHello,
  record,
  serverName,
  USUAL,
  vector,
  type Extension,
} from '../../../../support/egress/hellos.js';
import { HOSTILE_HELLOS } from '../../../../support/egress/hostile-hellos.js';
import { privateCa } from '../../../../support/gitea/tls-front.js';

const RECORD_HEADER = 5;
const NAMES = ['files.example.org', 'evil.example', 'FILES.example.org', 'x'];

/** What Node's client says first. */
async function genuine(options: tls.ConnectionOptions): Promise<Buffer> {
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk, _, done) => {
      said.push(chunk as Buffer);
      done();
    },
  });
  const said: Buffer[] = [];
  const client = tls.connect({ ...options, socket }).on('error', () => undefined);
  while (said.length === 0) await new Promise((resolve) => setImmediate(resolve));
  client.destroy();
  return Buffer.concat(said);
}

describe('a ClientHello', () => {
  let hellos: readonly Buffer[];
  let keys: { readonly key: Buffer; readonly cert: Buffer };

  before(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'hello-keys-'));
    keys = await privateCa(dir);
    rmSync(dir, { recursive: true, force: true });
    const servername = 'files.example.org';
    hellos = await Promise.all([
      genuine({ servername }),
      genuine({ servername, maxVersion: 'TLSv1.2' }),
      genuine({ servername, minVersion: 'TLSv1.3', ALPNProtocols: ['h2', 'http/1.1'] }),
    ]);
  });

  /** The name that OpenSSL sees in these bytes; `none` when it goes on without one; `undefined` when it refuses them. */
  async function seenByOpenssl(bytes: Buffer): Promise<string | undefined> {
    const [near, far] = duplexPair();
    let name = 'none';
    const server = new tls.TLSSocket(far, {
      ...keys,
      isServer: true,
      SNICallback: (given, answer) => {
        name = given;
        answer(null);
      },
    }).on('error', () => undefined);
    near.on('error', () => undefined);
    const answer = Promise.race([once(near, 'data'), once(near, 'close')]) as Promise<readonly Buffer[]>;
    near.write(bytes);
    // What it waits for will not come.
    near.end();
    const [first] = await answer;
    server.destroy();
    near.destroy();
    return first?.[0] === 22 ? name : undefined;
  }

  /** What is accepted here has the name that OpenSSL acts on, if it acts at all. */
  async function agrees(message: Buffer): Promise<'same' | 'refused here' | 'refused there'> {
    const read = readClientHello(message);
    if (read.kind === 'bad') return 'refused here';
    const seen = await seenByOpenssl(record(message));
    if (seen === undefined) return 'refused there';
    assert.equal(read.name ?? 'none', seen, message.toString('hex'));
    return 'same';
  }

  it('of a real client is read as OpenSSL reads it', async () => {
    for (const hello of hellos) {
      const message = hello.subarray(RECORD_HEADER);
      assert.deepEqual(readClientHello(message), {
        ...{ kind: 'hello', name: 'files.example.org', hasEncryptedHello: false },
      });
      assert.equal(await agrees(message), 'same');
    }
    assert.equal(await agrees((await genuine({ host: '127.0.0.1' })).subarray(RECORD_HEADER)), 'same');
  });

  it('of the hostile ones is never read as another name than OpenSSL reads', async () => {
    for (const { bytes } of HOSTILE_HELLOS) await agrees(bytes.subarray(RECORD_HEADER));
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300, size: 'max' }), fc.boolean(), (bytes, isHello) => {
        const message = isHello
          ? Buffer.concat([Buffer.from([1]), vector(3, Buffer.from(bytes))])
          : Buffer.from(bytes);
        assert.ok(['hello', 'bad'].includes(readClientHello(message).kind));
      }),
      { numRuns: 5000 },
    );
  });

  it('with bytes changed, taken out or put in is never read as another name than OpenSSL reads', async () => {
    const ends = new Map<string, number>();
    const change = fc.record({
      at: fc.nat(),
      take: fc.constantFrom(0, 1, 1, 1, 2),
      put: fc.uint8Array({ maxLength: 3 }),
      inName: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(2),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (which, changes, fixesLength) => {
          let message = Buffer.from(hellos[which]?.subarray(RECORD_HEADER) ?? []);
          for (const { at, take, put, inName } of changes) {
            const name = message.indexOf('example');
            const from = inName && name > 20 ? name - 15 + (at % 30) : at % message.length;
            message = Buffer.concat([message.subarray(0, from), put, message.subarray(from + take)]);
          }
          if (fixesLength && message.length > 4) message.writeUIntBE(message.length - 4, 1, 3);
          const end = await agrees(message);
          ends.set(end, (ends.get(end) ?? 0) + 1);
        },
      ),
      { numRuns: 1500 },
    );
    // Not one side of it only.
    assert.ok(
      (ends.get('same') ?? 0) > 20 && (ends.get('refused here') ?? 0) > 100,
      JSON.stringify([...ends]),
    );
  });

  it('put together from odd parts is never read as another name than OpenSSL reads', async () => {
    const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 5 }));
    const extension: fc.Arbitrary<Extension> = fc.oneof(
      fc.array(name, { maxLength: 2 }).map((names) => serverName(...names)),
      name.map((one) => serverName(one)),
      fc
        .tuple(fc.integer({ min: 0, max: 60 }), fc.uint8Array({ maxLength: 8 }))
        .map(([type, data]) => [type, Buffer.from(data)] as const),
    );
    const ends = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(extension, { maxLength: 2 }),
        fc.boolean(),
        fc.constantFrom(0x0301, 0x0302, 0x0303, 0x0304),
        async (odd, isFirst, version) => {
          const usual = USUAL.filter(([type]) => !odd.some(([other]) => other === type));
          const extensions = isFirst ? [...odd, ...usual] : [...usual, ...odd];
          const end = await agrees(clientHello({ extensions, version }));
          ends.set(end, (ends.get(end) ?? 0) + 1);
        },
      ),
      { numRuns: 800 },
    );
    assert.ok((ends.get('same') ?? 0) > 20, JSON.stringify([...ends]));
  });
});
