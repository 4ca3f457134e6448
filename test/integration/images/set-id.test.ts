import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';

describe('the images', function () {
  this.timeout(60_000);
  const runtime = dockerBottleRuntime();

  for (const image of [
    'bot-bottle/base:bookworm',
    ...['scripted', 'claude', 'codex', 'pi', 'opencode'].map((cli) => `bot-bottle/agent-${cli}:dev`),
    'bot-bottle/bundle:dev',
  ])
    it(`${image} has no set-user-id or set-group-id program`, async function () {
      // These need not be there.
      if (/pi|opencode/.test(image) && (await runtime.imageId(image)) === undefined) this.skip();
      const { exitCode, stdout, stderr } = await runtime.runOnce({
        name: 'find',
        slug: `set-id-${randomBytes(4).toString('hex')}`,
        image,
        argv: ['/usr/bin/find', '/', '-xdev', '-perm', '/6000'],
        user: 'reader',
        mounts: [],
        env: {},
        timeoutMs: 30_000,
        maxOutputBytes: 64 * 1024,
      });
      assert.equal(exitCode, 0, stderr);
      assert.equal(Buffer.from(stdout).toString(), '');
    });
});
