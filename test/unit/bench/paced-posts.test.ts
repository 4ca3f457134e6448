import assert from 'node:assert/strict';
import { postAtRate, signedAnew } from '../../../bench/webhook/paced-posts.js';
import type { SignedDelivery } from '../../support/deliveries/signed-delivery.js';
import { ForgeServer } from '../../support/gitea/forge-server.js';
import { hmacOf } from '../../support/webhook/sign.js';

const HELD_MS = 50;

function delivery(text: string): SignedDelivery {
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
}

describe('deliveries at a rate', () => {
  it('do not wait for the answers to those before, and each is timed by its own', async () => {
    let open: (() => void) | undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    // Nobody but the last one is answered before a while after it has come.
    const server = await ForgeServer.start(async (request, count) => {
      if (count === 3) setTimeout(() => open?.(), 2 * HELD_MS);
      else await all;
      return { status: request.body === 'b' ? 503 : 202, body: `to ${request.body}` };
    });
    try {
      const posts = await postAtRate(server.url, ['a', 'b', 'c'].map(delivery), 100);
      assert.deepEqual(
        posts.answers.map(({ status, text }) => [status, text]),
        [
          [202, 'to a'],
          [503, 'to b'],
          [202, 'to c'],
        ],
      );
      const [first = 0] = posts.answerMs;
      assert.ok(first >= HELD_MS, `the first took ${String(first)} ms`);
    } finally {
      await server.stop();
    }
  });

  it('are signed anew for another secret, in both of the forge’s headers', () => {
    const { headers, body } = signedAnew(
      { ...delivery('{}'), headers: { 'x-gitea-signature': 'old' } },
      'new',
    );
    assert.equal(headers['x-gitea-signature'], hmacOf('{}', 'new'));
    assert.equal(headers['x-hub-signature-256'], `sha256=${hmacOf('{}', 'new')}`);
    assert.equal(body.toString(), '{}');
  });
});
