import assert from 'node:assert/strict';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import { BotBottleError, ForgeHttpError } from '../../../src/domain/base/errors.js';
import type { Forge } from '../../../src/domain/forge/forge.js';
import { NO_FAULT } from '../../support/faults/fault.js';
import type { Fault, ProxiedRequest } from '../../support/faults/fault.js';
import { FaultProxy } from '../../support/faults/fault-proxy.js';
import { FAULTS } from '../../support/faults/seeded-faults.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { git, GitFixture } from '../git/git-fixture.js';

/** Three pages. */
const COMMENTS = 101;
const TRIES = 3;

describe('a faulty network between us and Gitea', function () {
  this.timeout(90_000);
  const waits: number[] = [];
  let gitea: Gitea;
  let proxy: FaultProxy;
  let client: GiteaClient;
  let forge: Forge;
  let choose: (request: ProxiedRequest) => Fault;
  let long: number;

  before(async () => {
    gitea = await sharedGitea();
    const { alice } = gitea;
    long = await alice.createIssue({ title: 'a long discussion' });
    await alice.addLabel(long, 'first');
    for (let i = 0; i < COMMENTS; i += 1) await alice.comment(long, `comment ${String(i)}`);
    await alice.addLabel(long, 'last');
  });

  beforeEach(async () => {
    waits.length = 0;
    choose = () => NO_FAULT;
    proxy = await FaultProxy.start({ forge: gitea.url, choose: (request) => choose(request) });
    client = new GiteaClient({
      baseUrl: proxy.url,
      token: gitea.bot.publisherToken,
      retry: { tries: TRIES, sleep: (ms) => Promise.resolve(waits.push(ms)) },
    });
    forge = giteaForgeFor(client)({ forge: 'gitea', owner: 'alice', repo: 'demo' });
  });

  afterEach(async () => {
    client.close();
    await proxy.close();
  });

  /** The fault for the first so many requests of that page. */
  function onPage(page: number, fault: Fault, times: number): void {
    let left = times;
    choose = ({ target }) => {
      if (!target.includes(`page=${String(page)}&`) || left === 0) return NO_FAULT;
      left -= 1;
      return fault;
    };
  }

  async function whole(): Promise<void> {
    const comments = await forge.readComments(long);
    assert.deepEqual(
      comments.map(({ body }) => body),
      Array.from({ length: COMMENTS }, (_, i) => `comment ${String(i)}`),
    );
  }

  async function wholeTimeline(): Promise<void> {
    const acts = await forge.readTimeline(long);
    assert.deepEqual(
      acts.filter(({ kind }) => kind === 'labeled').map(({ what }) => what),
      ['first', 'last'],
    );
  }

  for (const [name, fault] of Object.entries(FAULTS)) {
    it(`shortens no list: ${name}`, async () => {
      for (const page of [1, 2, 3]) {
        onPage(page, fault, TRIES - 1);
        await whole();
        onPage(page, fault, TRIES - 1);
        await wholeTimeline();
      }
      // For good: whole all the same, or an error that says so.
      for (const read of [whole, wholeTimeline]) {
        onPage(2, fault, Infinity);
        await read().catch((error: unknown) => {
          assert.ok(error instanceof ForgeHttpError && error.retryable, String(error));
        });
      }
    });
  }

  describe('the wait that Gitea, or who stands before it, asks for', () => {
    function refuseOnce(status: number, forwarded: boolean, retryAfter: string): void {
      let left = 1;
      choose = ({ method }) => {
        if (method !== 'POST' || left === 0) return NO_FAULT;
        left -= 1;
        return { kind: 'status', status, forwarded, retryAfter };
      };
    }

    it('is kept by a write that was turned away, and by one that may have been carried out', async () => {
      const number = await gitea.alice.createIssue({ title: 'wait' });
      for (const [status, forwarded] of [
        [429, false],
        [503, true],
      ] as const) {
        waits.length = 0;
        refuseOnce(status, forwarded, '4');
        await forge.postComment(number, 'hello', `wait/${String(status)}`);
        assert.deepEqual(waits, [4_000]);
      }
      assert.equal((await gitea.alice.comments(number)).length, 2);
    });
  });

  it('makes no refusal of a push whose report was cut off before it came to the branch', async () => {
    const fixture = new GitFixture();
    try {
      const branch = 'bot-bottle/1-untol';
      git(fixture.work, 'fetch', '-q', `${gitea.url}/alice/demo.git`, 'main');
      const base = git(fixture.work, 'rev-parse', 'FETCH_HEAD');
      git(fixture.work, 'checkout', '-q', '-B', branch, base);
      const head = fixture.commit(fixture.work, 'untold.txt', 'x');
      const token = gitea.bot.publisherToken;
      const repository = fixture.repository({
        cloneUrl: () => `${proxy.url}/alice/demo.git`,
        readToken: () => token,
        publishToken: () => token,
      });
      const request = { branch, bundleFile: fixture.bundle([base], branch), baseSha: base };
      // pkt-lines in the first side band: the pack is there, and no word of the ref (gitprotocol-pack).
      const report = Buffer.from('0017\x01000eunpack ok\n00000000', 'latin1');
      choose = ({ method, target }) =>
        method === 'POST' && target.endsWith('/git-receive-pack')
          ? { kind: 'truncated', hidden: true, cut: () => report }
          : NO_FAULT;
      await assert.rejects(
        fixture.publish(request, repository),
        (error) => error instanceof BotBottleError && error.retryable && !error.message.includes(token),
      );
      assert.deepEqual(await fixture.publish(request, repository), {
        kind: 'unchanged',
        head,
        onForge: true,
      });
    } finally {
      fixture.remove();
    }
  });
});
