import assert from 'node:assert/strict';
import fc from 'fast-check';
import { GiteaClient } from '../../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../../src/adapters/gitea/gitea-forge.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import { isForgeNumber } from '../../../../src/domain/forge/issue.js';
import type { Forge } from '../../../../src/domain/forge/forge.js';
import { ForgeServer } from '../../../support/gitea/forge-server.js';

describe('a number given to the forge', () => {
  let server: ForgeServer;
  let client: GiteaClient;
  let forge: Forge;

  before(async () => {
    server = await ForgeServer.start(() => ({ status: 200, body: '{}' }));
    client = new GiteaClient({ baseUrl: server.url, token: 't' });
    forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
  });

  after(async () => {
    client.close();
    await server.stop();
  });

  const operations: readonly ((wrong: number) => Promise<unknown>)[] = [
    (wrong) => forge.readIssue(wrong),
    (wrong) => forge.readPr(wrong),
    (wrong) => forge.readComments(wrong),
    (wrong) => forge.readComment(wrong),
    (wrong) => forge.readReviews(wrong),
    (wrong) => forge.readDiff(wrong),
    (wrong) => forge.readChecks(wrong),
    (wrong) => forge.postComment(wrong, 'x', 'm'),
    (wrong) => forge.updateDescription(wrong, 'x'),
    (wrong) => forge.updateTitle(wrong, 'x'),
    (wrong) => forge.isPrOpen(wrong),
    (wrong) => forge.requestReview(wrong, 'alice'),
    (wrong) => forge.readTimeline(wrong),
    (wrong) => forge.react(wrong, 'eyes'),
  ];

  it('makes no request when it cannot be one', async () => {
    for (const wrong of ['1/../2', 1.5, -1, 2 ** 53] as readonly unknown[]) {
      for (const operation of operations) await assert.rejects(operation(wrong as number), InvalidInputError);
    }
    const anything = fc
      .anything()
      .filter((value) => !isForgeNumber(value) && value !== null && typeof value !== 'bigint');
    await fc.assert(
      fc.asyncProperty(anything, fc.constantFrom(...operations), async (wrong, operation) => {
        await assert.rejects(operation(wrong as number), InvalidInputError);
      }),
    );
    assert.deepEqual(server.seen, []);
  });

  it('is accepted up to the largest exact one', async () => {
    await forge.updateDescription(2 ** 53 - 1, 'x');
    assert.deepEqual(
      server.seen.map((seen) => seen.url),
      ['/api/v1/repos/alice/demo/issues/9007199254740991'],
    );
  });

  it('belongs to a repository whose name is one', () => {
    for (const [owner, repo] of [
      ['..', 'demo'],
      ['alice', '../x'],
      ['alice', 'a/b'],
      ['', 'demo'],
      ['alice', 'demo.git'],
    ] as const) {
      assert.throws(() => giteaForgeFor(client)({ forge: 'gitea', owner, repo }), InvalidInputError);
    }
  });
});

describe('the changes of a pull request', () => {
  it('are read from the beginning when there are more than anybody is shown', async () => {
    const body = 'x'.repeat(17 * 1024 * 1024);
    const headers = { 'content-type': 'text/plain' };
    const server = await ForgeServer.start(() => ({ status: 200, body, headers }));
    const client = new GiteaClient({ baseUrl: server.url, token: 't' });
    try {
      const forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
      assert.equal((await forge.readDiff(3)).length, 1024 * 1024);
    } finally {
      client.close();
      await server.stop();
    }
  });
});

describe('a repository that is not found', () => {
  it('is gone only for a forge that knows our account', async () => {
    let knows = false;
    const server = await ForgeServer.start(({ url }) => ({
      status: knows && url.endsWith('/user') ? 200 : 404,
      body: '{}',
    }));
    const client = new GiteaClient({ baseUrl: server.url, token: 't', retry: { tries: 1 } });
    try {
      const forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
      await assert.rejects(forge.whereIs(7), { away: true, retryable: true });
      knows = true;
      assert.equal(await forge.whereIs(7), undefined);
    } finally {
      client.close();
      await server.stop();
    }
  });
});
