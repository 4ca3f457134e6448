import assert from 'node:assert/strict';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import type { Forge } from '../../../src/domain/ports.js';
import { ForgeServer, passOn } from '../../support/gitea/forge-server.js';
import type { Answer, SeenRequest } from '../../support/gitea/forge-server.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';

describe('a write whose answer is lost on the way back from Gitea', () => {
  let gitea: Gitea;
  let proxy: ForgeServer;
  let client: GiteaClient;
  let forge: Forge;
  let lose: (request: SeenRequest) => boolean;
  let lost: number;
  let fault: Answer;

  before(async function () {
    this.timeout(90_000);
    gitea = await sharedGitea();
  });

  beforeEach(async () => {
    lost = 0;
    fault = { status: 502 };
    // Gitea has acted on every request; only its answer is replaced.
    proxy = await ForgeServer.start(async (request) => {
      const answer = await passOn(gitea.url, request);
      if (lost > 0 || !lose(request)) return answer;
      lost += 1;
      return fault;
    });
    client = new GiteaClient({ baseUrl: proxy.url, token: gitea.bot.publisherToken, retry: { baseMs: 5 } });
    forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
  });

  afterEach(async () => {
    client.close();
    await proxy.stop();
  });

  for (const [name, answer] of [
    ['a gateway error', { status: 502 }],
    ['a cut connection', 'drop'],
  ] as const) {
    it(`leaves one comment after ${name}`, async () => {
      fault = answer;
      const number = await gitea.alice.createIssue({ title: 'one comment' });
      lose = (request) => request.method === 'POST' && request.url.endsWith('/comments');
      await forge.postComment(number, 'hello', 'lost/1');
      assert.equal(lost, 1);
      assert.equal((await gitea.alice.comments(number)).length, 1);
    });
  }

  it('leaves one pull request', async () => {
    const branch = 'bot-bottle/1-lost1';
    await gitea.alice.createFile({ branch, path: 'lost.txt', content: 'x\n', from: 'main' });
    lose = (request) => request.method === 'POST' && request.url.endsWith('/pulls');
    const pr = await forge.openPr({ title: 'one', body: '', head: branch, base: 'main' });
    assert.equal(lost, 1);
    const open = await gitea.alice.api.list('/repos/alice/demo/pulls?state=open');
    const ours = open.filter((item) => (item['head'] as Record<string, unknown>)['ref'] === branch);
    assert.deepEqual(
      ours.map((item) => item['number']),
      [pr.number],
    );
  });

  it('leaves one reaction and the new description', async () => {
    const number = await gitea.alice.createIssue({ title: 'once', body: 'old' });
    lose = (request) => request.url.endsWith('/reactions');
    await forge.react(number, 'eyes');
    assert.equal(lost, 1);
    assert.equal(
      (await gitea.alice.api.list(`/repos/alice/demo/issues/${String(number)}/reactions`)).length,
      1,
    );
    lost = 0;
    lose = (request) => request.method === 'PATCH';
    await forge.updateDescription(number, 'new');
    assert.equal(lost, 1);
    assert.equal((await forge.readIssue(number)).body, 'new');
  });
});
