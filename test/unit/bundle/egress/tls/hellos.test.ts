import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { ByteSource } from '../../../../../src/bundle/egress/tls/byte-source.js';
import { passHellos, type HelloRules, type Passage } from '../../../../../src/bundle/egress/tls/hellos.js';
import {
  clientHello,
  helloFor,
  HRR_RANDOM,
  record,
  SERVER_HELLO,
  serverHello,
  serverName,
  USUAL,
} from '../../../../support/egress/hellos.js';
import { HOST as HOSTILE_TO, HOSTILE_HELLOS } from '../../../../support/egress/hostile-hellos.js';

const HOST = 'files.example';
const HELLO = helloFor(HOST);
const ASKS_AGAIN = serverHello(HRR_RANDOM);
const ECH = [0xfe0d, Buffer.alloc(180, 1)] as const;
const [CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA] = [20, 21, 22, 23] as const;
const WARNING = record(Buffer.from([1, 112]), ALERT);

describe('the first messages of a tunnel', () => {
  let client: PassThrough;
  let server: PassThrough;
  let toServer: Buffer[];
  let toClient: Buffer[];

  function fresh(): void {
    [client, server, toServer, toClient] = [new PassThrough(), new PassThrough(), [], []];
  }
  beforeEach(fresh);
  afterEach(() => {
    client.destroy();
    server.destroy();
  });

  /** What comes of these bytes, after which both say no more. */
  async function passed(
    said: readonly Buffer[],
    answered: readonly Buffer[] = [],
    rules: Partial<HelloRules> = {},
    mayGo: () => boolean = () => true,
  ): Promise<Passage> {
    fresh();
    for (const bytes of said) client.write(bytes);
    for (const bytes of answered) server.write(bytes);
    client.end();
    server.end();
    const [from, to] = [new ByteSource(client), new ByteSource(server)];
    try {
      return await passHellos(
        {
          ...{ client: from, server: to },
          toServer: (bytes) => {
            toServer.push(bytes);
            return mayGo();
          },
          toClient: (bytes) => toClient.push(bytes),
        },
        { host: HOST, allowsEncryptedHello: () => false, helloMs: 60_000, ...rules },
      );
    } finally {
      from.release();
      to.release();
    }
  }
  async function whyRefused(...args: Parameters<typeof passed>): Promise<string> {
    const passage = await passed(...args);
    return passage.kind === 'refused' ? passage.why : assert.fail(passage.kind);
  }
  const went = (): readonly Buffer[] => [Buffer.concat(toServer), Buffer.concat(toClient)];

  it('are passed on when they are for the host, and the server’s answer is given back', async () => {
    assert.deepEqual(await passed([HELLO], [SERVER_HELLO]), { kind: 'open', answer: SERVER_HELLO });
    assert.deepEqual(went(), [HELLO, Buffer.alloc(0)]);
  });

  const fine: [what: string, hello: Buffer][] = [
    ['in any case', helloFor('Files.EXAMPLE')],
    ['with GREASE', helloFor(HOST, [0x0a0a, Buffer.alloc(0)], [0xfafa, Buffer.from([0])])],
    ['with a ticket and early data', helloFor(HOST, [35, Buffer.alloc(200)], [42, Buffer.alloc(0)])],
    ['with 14 KiB of padding', helloFor(HOST, [21, Buffer.alloc(14_000)])],
    ...[0x0301, 0x0302, 0x0303].map((version): [string, Buffer] => [
      `in a record and of a version ${version.toString(16)}`,
      record(clientHello({ version, extensions: [...USUAL, serverName(HOST)] }), HANDSHAKE, version),
    ]),
  ];
  for (const [what, hello] of fine)
    it(`are for the host ${what}`, async () => {
      const early = record(Buffer.alloc(300), APPLICATION_DATA);
      assert.equal((await passed([hello, early], [SERVER_HELLO])).kind, 'open');
      assert.deepEqual(went()[0], hello);
    });

  it('may come in any pieces', async () => {
    const bytes = [...HELLO].map((byte) => Buffer.from([byte]));
    assert.equal((await passed(bytes, [SERVER_HELLO.subarray(0, 3), SERVER_HELLO.subarray(3)])).kind, 'open');
    assert.deepEqual(went()[0], HELLO);
  });

  it('leave to whoever comes after them what follows', async () => {
    client.write(Buffer.concat([HELLO, Buffer.from('more')]));
    server.write(Buffer.concat([SERVER_HELLO, Buffer.from('rest')]));
    const [from, to] = [new ByteSource(client), new ByteSource(server)];
    const sides = { client: from, server: to, toServer: () => true, toClient: () => undefined };
    await passHellos(sides, { host: HOST, allowsEncryptedHello: () => false, helloMs: 60_000 });
    assert.deepEqual([from.release().toString(), to.release().toString()], ['more', 'rest']);
  });

  it('for another host are refused by its name, and the server hears nothing', async () => {
    const passage = await passed([helloFor('evil.example')], [SERVER_HELLO]);
    assert.deepEqual(passage, {
      ...{ kind: 'refused', why: 'the TLS hello is for "evil.example"', name: 'evil.example' },
    });
    assert.deepEqual(toServer, []);
    assert.equal(await whyRefused([helloFor('x'.repeat(200))]), `the TLS hello is for "${'x'.repeat(120)}"`);
  });

  it('with an encrypted part are refused, unless the allowlist lets it through', async () => {
    const hello = helloFor(HOST, ECH);
    assert.match(await whyRefused([hello], [SERVER_HELLO]), /has an encrypted part \(ECH\)/);
    assert.equal((await passed([hello], [SERVER_HELLO], { allowsEncryptedHello: () => true })).kind, 'open');
  });

  const noHello: [what: string, said: readonly Buffer[], why: RegExp][] = [
    ['no TLS', [Buffer.from('GET / HTTP/1.1\r\n')], /^what the client sends is no TLS$/],
    ['another record', [WARNING, HELLO], /^what the client sends is no TLS hello$/],
    ['a hello that is none', [record(Buffer.from([2, 0, 0, 0]))], /^the TLS hello is another message$/],
    ['half a hello', [HELLO.subarray(0, 50)], /^the TLS hello is not whole$/],
    ['half a head', [HELLO.subarray(0, 3)], /^the TLS hello is not whole$/],
    ['a record of nothing', [record(Buffer.alloc(0))], /no TLS$/],
    ['a record that is too long', [record(Buffer.alloc(2 ** 14 + 2049))], /no TLS$/],
    ['a record of an unknown type', [record(Buffer.from([1]), 24)], /no TLS$/],
    ['a record of an unknown type', [record(Buffer.from([1]), 19)], /no TLS$/],
    ['a record of another version', [record(Buffer.from([1]), HANDSHAKE, 0x0201)], /no TLS$/],
    ['a record of a version before TLS', [record(Buffer.from([1]), HANDSHAKE, 0x0300)], /no TLS$/],
    ['a record of a version to come', [record(Buffer.from([1]), HANDSHAKE, 0x0304)], /no TLS$/],
  ];
  for (const [what, said, why] of noHello)
    it(`are refused where the client sends ${what}`, async () => {
      assert.match(await whyRefused(said, [SERVER_HELLO]), why);
      assert.deepEqual(toServer, []);
    });

  for (const { name, bytes, why } of HOSTILE_HELLOS)
    it(`are refused before the server hears of them: ${name}`, async () => {
      assert.match(await whyRefused([bytes], [], { host: HOSTILE_TO }), why);
      assert.deepEqual(toServer, []);
    });

  it('are refused where they name no host', async () => {
    assert.match(await whyRefused([record(clientHello({ extensions: USUAL }))]), /names no host/);
  });

  it('are over when the client leaves before its first byte, or may send no more', async () => {
    assert.deepEqual(await passed([]), { kind: 'gone', how: 'client gone' });
    assert.deepEqual(await passed([HELLO], [SERVER_HELLO], {}, () => false), {
      ...{ kind: 'gone', how: 'client gone' },
    });
  });

  const late: [whose: string, said: Buffer, passage: Passage][] = [
    ['client’s', Buffer.alloc(0), { kind: 'refused', why: 'the TLS hello did not come in time' }],
    ['server’s', HELLO, { kind: 'gone', how: 'server gone' }],
  ];
  for (const [whose, said, passage] of late)
    it(`are over when the ${whose} does not come in time`, async () => {
      client.write(said);
      const [from, to] = [new ByteSource(client), new ByteSource(server)];
      const sides = { client: from, server: to, toServer: () => true, toClient: () => undefined };
      const rules = { host: HOST, allowsEncryptedHello: () => false, helloMs: 1 };
      assert.deepEqual(await passHellos(sides, rules), passage);
      from.release();
      to.release();
    });

  describe('of the server', () => {
    it('may come behind warnings, which are given back with it', async () => {
      const answer = Buffer.concat([WARNING, SERVER_HELLO]);
      assert.deepEqual(await passed([HELLO], [WARNING, SERVER_HELLO]), { kind: 'open', answer });
    });

    it('may be missing: that it says no more is passed on', async () => {
      assert.deepEqual(await passed([HELLO], [WARNING]), { kind: 'open', answer: WARNING });
    });

    it('are over where it leaves in the middle', async () => {
      assert.deepEqual(await passed([HELLO], [SERVER_HELLO.subarray(0, 20)]), {
        ...{ kind: 'gone', how: 'server gone' },
      });
    });

    const odd: [what: string, answer: Buffer][] = [
      ['no TLS', Buffer.from('HTTP/1.1 400 no\r\n')],
      ['data', record(Buffer.from('data'), APPLICATION_DATA)],
      ['another message', record(Buffer.concat([Buffer.from([11]), Buffer.alloc(60)]))],
      ['a hello that is split within its random', record(SERVER_HELLO.subarray(5, 5 + 37))],
    ];
    for (const [what, answer] of odd)
      it(`are refused where they are ${what}`, async () => {
        assert.equal(await whyRefused([HELLO], [answer]), 'what the server answers is no TLS hello');
        assert.deepEqual(toClient, []);
      });

    it('may be split behind its random', async () => {
      const part = record(SERVER_HELLO.subarray(5, 5 + 38));
      assert.deepEqual(await passed([HELLO], [part]), { kind: 'open', answer: part });
    });

    it('come behind so many other records at most', async () => {
      const others = (count: number): Buffer[] => Array<Buffer>(count).fill(WARNING);
      assert.equal((await passed([HELLO], [...others(63), SERVER_HELLO])).kind, 'open');
      assert.match(
        await whyRefused([HELLO], [...others(64), SERVER_HELLO]),
        /too much comes before the TLS hello of the server/,
      );
    });
  });

  describe('where the server asks for another hello', () => {
    it('are checked again', async () => {
      assert.equal((await passed([HELLO, HELLO], [ASKS_AGAIN, SERVER_HELLO])).kind, 'open');
      assert.deepEqual(went(), [Buffer.concat([HELLO, HELLO]), ASKS_AGAIN]);
      assert.match(
        await whyRefused([HELLO, helloFor('evil.example')], [ASKS_AGAIN, SERVER_HELLO]),
        /is for "evil\.example"/,
      );
      assert.deepEqual(Buffer.concat(toServer), HELLO);
    });

    it('are two at most', async () => {
      assert.match(
        await whyRefused([HELLO, HELLO], [ASKS_AGAIN, ASKS_AGAIN]),
        /the server asks for a third TLS hello/,
      );
    });

    const between: [what: string, bytes: Buffer, isFine: boolean][] = [
      ['a change of ciphers', record(Buffer.from([1]), CHANGE_CIPHER_SPEC), true],
      ['early data', record(Buffer.from('data'), APPLICATION_DATA), true],
      ['a warning', WARNING, true],
      ['a change of ciphers that is none', record(Buffer.from([2]), CHANGE_CIPHER_SPEC), false],
      ['a change of ciphers that is too long', record(Buffer.from([1, 1]), CHANGE_CIPHER_SPEC), false],
      ['a warning that is none', record(Buffer.from([1]), ALERT), false],
    ];
    for (const [what, bytes, isFine] of between)
      it(`may ${isFine ? '' : 'not '}have ${what} between them`, async () => {
        const passage = await passed([HELLO, bytes, HELLO], [ASKS_AGAIN, SERVER_HELLO]);
        assert.equal(passage.kind, isFine ? 'open' : 'refused');
        assert.deepEqual(went()[0], isFine ? Buffer.concat([HELLO, bytes, HELLO]) : HELLO);
      });

    it('have so many records between them at most', async () => {
      const others = (count: number): Buffer[] => Array<Buffer>(count).fill(WARNING);
      const answers = [ASKS_AGAIN, SERVER_HELLO];
      assert.equal((await passed([HELLO, ...others(63), HELLO], answers)).kind, 'open');
      assert.match(
        await whyRefused([HELLO, ...others(64), HELLO], answers),
        /too much comes before the second TLS hello/,
      );
    });
  });
});

describe('bytes that are read ahead', () => {
  it('are held up to 64 KiB and a chunk, and the stream waits', async () => {
    const stream = new PassThrough({ highWaterMark: 1024 * 1024 });
    const source = new ByteSource(stream, Buffer.from('ab'));
    assert.equal((await source.take(1))?.toString(), 'a');
    for (let chunk = 0; chunk < 10; chunk += 1) stream.write(Buffer.alloc(16 * 1024));
    assert.equal((await source.take(2))?.[0], 'b'.charCodeAt(0));
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(stream.isPaused());
    const held = source.release();
    assert.ok(held.length >= 64 * 1024 - 2 && held.length <= 80 * 1024, String(held.length));
    assert.equal(stream.listenerCount('data'), 0);
  });

  it('are none of a stream that has ended before anybody looked', async () => {
    const stream = new PassThrough();
    stream.destroy();
    const source = new ByteSource(stream, Buffer.from('ab'));
    assert.equal(await source.take(3), undefined);
    assert.equal(source.isEmpty, false);
    assert.equal((await source.take(2))?.toString(), 'ab');
    assert.equal(source.isEmpty, true);
  });

  it('have time anew with each limit', async () => {
    const stream = new PassThrough();
    const source = new ByteSource(stream);
    source.limit(1);
    assert.equal(await source.take(1), undefined);
    assert.equal(source.isLate, true);
    source.limit(60_000);
    assert.equal(source.isLate, false);
    stream.write('x');
    assert.equal((await source.take(1))?.toString(), 'x');
    source.release();
  });
});
