import assert from 'node:assert/strict';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import type { Forge } from '../../../src/domain/forge/forge.js';
import type { CheckStatus } from '../../../src/domain/forge/issue.js';
import { parseDelivery } from '../../../src/webhook/events/parse-delivery.js';
import { Catcher } from '../../support/deliveries/catcher.js';
import { ActionsRunner } from '../../support/gitea/actions-runner.js';
import { startGitea, type Gitea } from '../../support/gitea/start-gitea.js';
import { waitUntil } from '../../support/stack/stack.js';

const WORKFLOW = `name: ci
on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps: [{ run: make }]
`;

describe('a job that fails, on a Gitea with Actions', function () {
  this.timeout(90_000);
  let gitea: Gitea;
  let catcher: Catcher;
  let client: GiteaClient;
  let forge: Forge;

  before(async () => {
    catcher = await Catcher.start();
    gitea = await startGitea({
      webhook: { url: `${catcher.url}/hook`, secret: 's' },
      ini: { actions: true },
    });
    // The narrower token is enough.
    client = new GiteaClient({ baseUrl: gitea.url, token: gitea.bot.sidecarToken });
    forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
  });
  after(async () => {
    client.close();
    await gitea.stop();
    await catcher.stop();
  });

  it('is a status of its commit, delivered like any other, and its log is read from the end', async () => {
    const { alice } = gitea;
    const runner = await ActionsRunner.register(alice);
    const sha = await alice.createFile({
      branch: 'topic',
      from: 'main',
      path: '.gitea/workflows/ci.yml',
      content: WORKFLOW,
    });
    await runner.failNext([
      ...Array.from({ length: 2_000 }, (_, n) => `line ${String(n)}`),
      'make: *** Error 2',
    ]);
    const failed = async (): Promise<CheckStatus | undefined> =>
      (await forge.readStatuses(sha)).find(({ state }) => state === 'failure');
    await waitUntil('the status', async () => (await failed()) !== undefined);
    const check = await failed();
    assert.ok(check !== undefined);
    assert.equal(check.context, 'ci / build (push)');
    assert.match(check.url, /\/alice\/demo\/actions\/runs\/\d+\/jobs\/\d+$/);

    const isFailure = (body: Buffer): boolean => {
      const parsed = parseDelivery('status', body);
      return parsed.kind === 'hint' && parsed.hint.cause.kind === 'checks' && parsed.hint.cause.sha === sha;
    };
    await waitUntil('the delivery', () =>
      catcher
        .at('/hook')
        .some(({ headers, rawBody }) => headers['x-gitea-event-type'] === 'status' && isFailure(rawBody)),
    );

    const log = (await forge.readCheckLog(check, sha, 200)) ?? '';
    assert.match(log, /line 1999\n.*make: \*\*\* Error 2\n$/);
    assert.ok(log.length <= 200, String(log.length));
    assert.equal(await forge.readCheckLog(check, 'a'.repeat(40), 200), null, 'a job of another commit');
    const elsewhere = { ...check, url: check.url.replace(/\d+$/, '4000000') };
    assert.equal(await forge.readCheckLog(elsewhere, sha, 200), null, 'no such job');
    assert.equal(await forge.readCheckLog({ ...check, url: 'https://ci.example/1' }, sha, 200), null);
  });
});
