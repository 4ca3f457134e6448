import assert from 'node:assert/strict';
import { findingDoor } from '../../../../src/adapters/door/finding-door.js';
import { originOf } from '../../../../src/domain/base/listen-address.js';
import type { Finding } from '../../../../src/domain/upkeep/reconcile.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';
import type { Answer } from '../../../support/gitea/forge-server.js';

const FINDING: Finding = {
  forge: 'gitea',
  owner: 'alice',
  repo: 'demo',
  repoId: 7,
  number: 12,
  isPull: false,
  headRef: null,
  cause: { kind: 'state' },
  seen: 'open',
};

describe('the way to the door', () => {
  async function post(answer: Answer): Promise<string> {
    const server = await ForgeServer.start(() => answer);
    const door = findingDoor({
      url: new URL('/reconciled', server.url),
      bodyOf: (finding) => JSON.stringify(finding),
      headersFor: (body) => ({ 'x-length': String(body.length) }),
      timeoutMs: 200,
    });
    try {
      return await door.post(FINDING);
    } finally {
      const [request] = server.seen;
      assert.deepEqual([request?.method, request?.url], ['POST', '/reconciled']);
      assert.deepEqual(JSON.parse(request?.body ?? ''), FINDING);
      assert.equal(request?.headers['x-length'], String(request?.body.length));
      door.close();
      await server.stop();
    }
  }

  it('tells what was taken from what was known', async () => {
    assert.equal(await post({ status: 202 }), 'accepted');
    assert.equal(await post({ status: 200 }), 'known');
  });

  it('fails when the door does not have it for certain, and says what to do', async () => {
    await assert.rejects(post({ status: 401 }), /the same WEBHOOK_SECRET_FILE/);
    await assert.rejects(post({ status: 503 }), /answered 503: see its log/);
    await assert.rejects(post({ status: 307, headers: { location: '/elsewhere' } }), /answered 307/);
    await assert.rejects(post('drop'), /is it running/);
    await assert.rejects(post('hang'), /no answer/);
  });

  it('leads to this machine where the webhook listens on all addresses', () => {
    assert.equal(originOf({ host: '127.0.0.1', port: 8080 }), 'http://127.0.0.1:8080');
    assert.equal(originOf({ host: '0.0.0.0', port: 8080 }), 'http://127.0.0.1:8080');
    assert.equal(originOf({ host: '::', port: 81 }), 'http://[::1]:81');
    assert.equal(originOf({ host: 'webhook', port: 81 }), 'http://webhook:81');
  });
});
