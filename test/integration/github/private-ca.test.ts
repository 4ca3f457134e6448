import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GithubClient } from '../../../src/adapters/github/github-client.js';

const run = promisify(execFile);

describe('a GitHub Enterprise server with a certificate of a private authority', () => {
  it('is trusted by FORGE_CA_FILE only', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bot-bottle-github-ca-'));
    const [key, caFile] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    await run('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...[
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost',
        '-keyout',
        key,
        '-out',
        caFile,
      ],
    ]);
    const server = https.createServer(
      { key: await readFile(key), cert: await readFile(caFile) },
      (_request, response) =>
        response.setHeader('content-type', 'application/json').end('{"id":1,"login":"bot"}'),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    const baseUrl = `https://localhost:${String(address.port)}/api/v3`;
    const options = { baseUrl, token: 'token', retry: { tries: 1 } };
    const [trusting, wary] = [new GithubClient({ ...options, caFile }), new GithubClient(options)];
    try {
      const { data } = await trusting.call((api) => api.users.getAuthenticated());
      assert.deepEqual(data, { id: 1, login: 'bot' });
      await assert.rejects(
        wary.call((api) => api.users.getAuthenticated()),
        { name: 'ForgeHttpError', status: 0, message: /SELF_SIGNED/ },
      );
    } finally {
      trusting.close();
      wary.close();
      server.closeAllConnections();
      server.close();
      await rm(dir, { recursive: true });
    }
  });
});
