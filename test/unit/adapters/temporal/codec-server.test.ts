import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { defaultPayloadConverter } from '@temporalio/common';
import { aesCodec } from '../../../../src/adapters/temporal/codec/aes-codec.js';
import { serveCodec, type CodecServer } from '../../../../src/adapters/temporal/codec/codec-server.js';

const UI = 'https://temporal.example';
const JSON_TYPE = 'application/json';

describe('the codec server', () => {
  const codec = aesCodec([{ id: 'a', bytes: randomBytes(32) }]);
  let server: CodecServer;
  let port: number;

  before(async () => {
    server = await serveCodec({ codec, port: 0, origins: [UI] });
    port = Number(new URL(server.url).port);
  });
  after(() => server.close());

  interface Answer {
    readonly status: number;
    readonly headers: IncomingHttpHeaders;
    readonly text: string;
  }
  const ask = (
    path: string,
    body: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'POST',
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const given = { 'content-type': JSON_TYPE, ...headers };
      const asking = request({ host: '127.0.0.1', port, path, method, headers: given }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      asking.on('error', reject);
      asking.end(body);
    });

  /** As Temporal's page sends them: bytes in Base64. */
  async function encrypted(value: unknown): Promise<string> {
    const [payload] = await codec.encode([defaultPayloadConverter.toPayload(value)]);
    const base64 = (bytes: Uint8Array | null | undefined): string =>
      Buffer.from(bytes ?? []).toString('base64');
    const metadata = Object.entries(payload?.metadata ?? {}).map(([name, one]) => [name, base64(one)]);
    return JSON.stringify({
      payloads: [{ metadata: Object.fromEntries(metadata) as unknown, data: base64(payload?.data) }],
    });
  }

  it('decrypts and encrypts for the page and for the command line', async () => {
    const body = await encrypted({ canary: 1 });
    for (const headers of [{}, { origin: UI, 'x-namespace': 'default' }]) {
      const plain = await ask('/decode', body, headers);
      assert.equal(plain.status, 200);
      assert.equal(plain.headers['access-control-allow-origin'], 'origin' in headers ? UI : undefined);
      const { payloads } = JSON.parse(plain.text) as { payloads: { data: string }[] };
      assert.equal(Buffer.from(payloads[0]?.data ?? '', 'base64').toString(), '{"canary":1}');
      const coded = await ask('/encode', plain.text, headers);
      assert.doesNotMatch(coded.text, new RegExp(payloads[0]?.data ?? ''));
      assert.equal((await ask('/decode', coded.text, headers)).text, plain.text);
      assert.equal((await ask('/decode', plain.text, headers)).text, plain.text, 'plain stays plain');
    }
  });

  it('answers no other origin, neither the question beforehand', async () => {
    const body = await encrypted('secret');
    for (const origin of ['https://evil.example', 'null', `${UI}.evil.example`, 'http://temporal.example']) {
      const asked = [await ask('/decode', body, { origin }), await ask('/decode', '', { origin }, 'OPTIONS')];
      for (const { status, headers, text } of asked) {
        assert.equal(status, 403, origin);
        assert.equal(headers['access-control-allow-origin'], undefined);
        assert.doesNotMatch(text, /payloads/);
      }
    }
    const { status, headers } = await ask('/decode', '', { origin: UI }, 'OPTIONS');
    assert.equal(status, 204);
    assert.equal(headers['access-control-allow-origin'], UI);
    assert.match(headers['access-control-allow-headers'] ?? '', /content-type, x-namespace/);
  });

  it('answers under its own names only, as a name that changes its address would not have', async () => {
    const body = await encrypted('secret');
    assert.equal((await ask('/decode', body, { host: `localhost:${String(port)}` })).status, 200);
    for (const host of ['evil.example', `evil.example:${String(port)}`, 'localhost', '127.0.0.1:1'])
      assert.equal((await ask('/decode', body, { host })).status, 421, host);
  });

  it('listens on loopback only', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal);
    for (const { address } of others) {
      const reached = await new Promise((resolve) => {
        const socket = connect(port, address);
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      });
      assert.equal(reached, false, address);
    }
  });

  it('refuses what is no request of the protocol, and says what is wrong', async () => {
    const other = await aesCodec([{ id: 'b', bytes: randomBytes(32) }]).encode([{ data: Buffer.from('x') }]);
    const b64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');
    const metadata = Object.fromEntries(
      Object.entries(other[0]?.metadata ?? {}).map(([name, one]) => [name, b64(one)]),
    );
    const unknown = await ask(
      '/decode',
      JSON.stringify({ payloads: [{ metadata, data: b64(other[0]?.data) }] }),
    );
    assert.equal(unknown.status, 400);
    assert.match(unknown.text, /the key b, which TEMPORAL_CODEC_KEYS does not name/);
    for (const body of ['', 'null', '[', '{"payloads":7}', '{"payloads":[null]}'])
      assert.equal((await ask('/decode', body)).status, 400, body);
    assert.equal((await ask('/decode', '{}', { 'content-type': 'text/plain' })).status, 415);
    assert.equal((await ask('/decode', '', {}, 'GET')).status, 405);
    assert.equal((await ask('/', '{}')).status, 404);
    const large = await ask('/decode', ' '.repeat(17 * 1024 * 1024)).catch(() => ({ status: 413 }));
    assert.equal(large.status, 413);
  });
});
