import assert from 'node:assert/strict';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import type { GiteaClientOptions } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import type { Forge } from '../../../src/domain/forge/forge.js';
import { NO_FAULT } from '../../support/faults/fault.js';
import type { Fault, ProxiedRequest } from '../../support/faults/fault.js';
import { FaultProxy } from '../../support/faults/fault-proxy.js';
import { Gate } from '../../support/faults/gate.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { git, GitFixture, REPO } from '../git/git-fixture.js';

describe('two callers who write the same to Gitea at the same time', function () {
  this.timeout(60_000);
  let gitea: Gitea;
  let proxy: FaultProxy;
  let choose: (request: ProxiedRequest) => Fault;
  let clients: GiteaClient[];

  before(async () => {
    gitea = await sharedGitea();
  });

  beforeEach(async () => {
    clients = [];
    choose = () => NO_FAULT;
    proxy = await FaultProxy.start({ forge: gitea.url, choose: (request) => choose(request) });
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await proxy.close();
  });

  /** A process of its own: nothing is shared with the others. */
  function caller(options: Partial<GiteaClientOptions> = {}): Forge {
    const client = new GiteaClient({
      baseUrl: proxy.url,
      token: gitea.bot.publisherToken,
      retry: { baseMs: 1, capMs: 5 },
      ...options,
    });
    clients.push(client);
    return giteaForgeFor(client)(REPO);
  }

  async function openPrsOf(branch: string): Promise<unknown[]> {
    const open = await gitea.alice.api.list('/repos/alice/demo/pulls?state=open&limit=50');
    return open
      .filter((pr) => (pr['head'] as Record<string, unknown>)['ref'] === branch)
      .map((pr) => pr['number']);
  }

  /** Both have looked and found nothing before either's creation goes on. */
  function meet(path: string, count = 2): void {
    const gate = new Gate(count);
    choose = ({ method, target }) =>
      method === 'POST' && target.endsWith(path)
        ? { kind: 'hold_request', until: () => gate.arrive() }
        : NO_FAULT;
  }

  it('leave one comment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const number = await gitea.alice.createIssue({ title: 'both' });
      meet('/comments');
      const posted = await Promise.all([
        caller().postComment(number, 'hello', `both/${String(round)}`),
        caller().postComment(number, 'hello', `both/${String(round)}`),
      ]);
      const left = await gitea.alice.comments(number);
      assert.equal(left.length, 1, `round ${String(round)}`);
      assert.ok(posted.some((comment) => comment.id === left[0]?.id));
    }
  });

  it('leave one pull request', async () => {
    const branch = 'bot-bottle/1-atonc';
    await gitea.alice.createFile({ branch, path: 'at-once.txt', content: 'x\n', from: 'main' });
    meet('/pulls', 3);
    const input = { title: 'one', body: 'text', head: branch, base: 'main' };
    const opened = await Promise.all([1, 2, 3].map(() => caller().openPr(input)));
    const left = await openPrsOf(branch);
    assert.equal(left.length, 1);
    // Each was answered before or after the others were there; the last one knows.
    assert.ok(opened.some((pr) => pr.number === left[0]));
    assert.equal((await caller().openPr(input)).number, left[0]);
  });

  it('leave one reaction and one review request', async () => {
    const branch = 'bot-bottle/2-atonc';
    await gitea.alice.createFile({ branch, path: 'ask-once.txt', content: 'x\n', from: 'main' });
    const { number } = await caller().openPr({ title: 'ask', body: '', head: branch, base: 'main' });
    meet('/reactions');
    await Promise.all([caller().react(number, 'eyes'), caller().react(number, 'eyes')]);
    meet('/requested_reviewers');
    await Promise.all([caller().requestReview(number, 'alice'), caller().requestReview(number, 'alice')]);
    const path = `/repos/alice/demo/issues/${String(number)}`;
    assert.equal((await gitea.alice.api.list(`${path}/reactions`)).length, 1);
    const acts = await gitea.alice.api.list(`${path}/timeline`);
    assert.equal(acts.filter((act) => act['type'] === 'review_request').length, 1);
  });

  it('leave the pull requests of others alone', async () => {
    const branch = 'bot-bottle/3-atonc';
    await gitea.alice.createFile({ branch, path: 'others.txt', content: 'x\n', from: 'main' });
    await gitea.alice.createFile({ branch: 'release', path: 'release.txt', content: 'x\n', from: 'main' });
    const mine = await caller().openPr({ title: 'mine', body: '', head: branch, base: 'main' });
    const theirs = await gitea.alice.openPr({ title: 'mine', head: branch, base: 'release' });
    assert.equal(
      (await caller().openPr({ title: 'mine', body: '', head: branch, base: 'main' })).number,
      mine.number,
    );
    assert.deepEqual((await openPrsOf(branch)).sort(), [mine.number, theirs].sort());
  });

  it('push a commit once', async () => {
    const fixture = new GitFixture();
    const other = new GitFixture();
    try {
      const branch = 'bot-bottle/4-atonc';
      git(fixture.work, 'fetch', '-q', `${gitea.url}/alice/demo.git`, 'main');
      const base = git(fixture.work, 'rev-parse', 'FETCH_HEAD');
      git(fixture.work, 'checkout', '-q', '-B', branch, base);
      const head = fixture.commit(fixture.work, 'pushed-once.txt', 'x');
      const request = { branch, bundleFile: fixture.bundle([base], branch), baseSha: base };
      const token = gitea.bot.publisherToken;
      const options = {
        cloneUrl: () => `${proxy.url}/alice/demo.git`,
        readToken: () => token,
        publishToken: () => token,
      };
      meet('/git-receive-pack');
      const verdicts = await Promise.all([
        fixture.publish(request, fixture.repository(options)),
        fixture.publish(request, other.repository(options)),
      ]);
      for (const verdict of verdicts) {
        if (verdict.kind !== 'pushed') assert.deepEqual(verdict, { kind: 'unchanged', head, onForge: true });
      }
      assert.equal(verdicts.filter(({ kind }) => kind === 'pushed').length, 1);
    } finally {
      fixture.remove();
      other.remove();
    }
  });

  describe('when the first has gone and its request comes late', () => {
    /** The first creation waits, also when its sender has gone, until somebody arrives at `go`. */
    function holdFirst(path: string): { readonly held: Gate; readonly go: Gate } {
      const [held, go] = [new Gate(2), new Gate(2)];
      let first = true;
      choose = ({ method, target }) => {
        if (!first || method !== 'POST' || !target.endsWith(path)) return NO_FAULT;
        first = false;
        void held.arrive();
        return { kind: 'hold_request', until: () => go.arrive() };
      };
      return { held, go };
    }

    async function leaveWhile(work: (forge: Forge) => Promise<unknown>, held: Gate): Promise<void> {
      const left = assert.rejects(work(caller({ retry: { tries: 1 } })), { retryable: true });
      await held.arrive();
      clients.at(-1)?.close();
      await left;
    }

    it('leave one comment, as soon as it is asked for again', async () => {
      const number = await gitea.alice.createIssue({ title: 'late' });
      const post = (forge: Forge) => forge.postComment(number, 'hello', 'late/1');
      const late = holdFirst('/comments');
      await leaveWhile(post, late.held);
      const posted = await post(caller());
      await late.go.arrive();
      await proxy.settled();
      assert.equal((await gitea.alice.comments(number)).length, 2, 'nobody has looked since');
      assert.equal((await post(caller())).id, posted.id);
      assert.deepEqual(
        (await gitea.alice.comments(number)).map(({ id }) => id),
        [posted.id],
      );
    });

    it('leave one pull request, as soon as it is asked for again', async () => {
      const branch = 'bot-bottle/5-atonc';
      await gitea.alice.createFile({ branch, path: 'late.txt', content: 'x\n', from: 'main' });
      const open = (forge: Forge) =>
        forge.openPr({ title: 'late', body: 'text', head: branch, base: 'main' });
      const late = holdFirst('/pulls');
      await leaveWhile(open, late.held);
      // Gitea refuses it by itself unless it comes at the same time as the other.
      choose = ({ method, target }) =>
        method === 'POST' && target.endsWith('/pulls')
          ? { kind: 'hold_request', until: () => late.go.arrive() }
          : NO_FAULT;
      await open(caller());
      await proxy.settled();
      const { number } = await open(caller());
      assert.deepEqual(await openPrsOf(branch), [number]);
    });
  });
});
