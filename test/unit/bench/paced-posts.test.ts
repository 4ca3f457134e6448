import assert from 'node:assert/strict';
import { postAtRate, signedAnew, type SignedDelivery } from '../../../bench/paced-posts.js';
import { ForgeServer } from '../../support/gitea/forge-server.js';
import { hmacOf } from '../../support/webhook/sign.js';

function delivery(text: string): SignedDelivery {
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
}

describe('deliveries at a rate', () => {
  it('do not wait for the answers to those before, and each is timed by its own', async () => {
    let open: (() => void) | undefined;
    const all = new Promise<void>((resolve) => (open = resolve));
    // Nobody is answered before the last one has come.
    const server = await ForgeServer.start(async (request, count) => {
      if (count === 3) open?.();
      await all;
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
      // The last is due 20 ms after the first, which may have been sent late.
      const [first = 0] = posts.answerMs;
      assert.ok(first + posts.mostLateMs >= 19, `the first took ${String(first)} ms`);
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
