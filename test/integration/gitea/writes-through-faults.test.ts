import assert from 'node:assert/strict';
import { GiteaClient } from '../../../src/adapters/gitea/gitea-client.js';
import { giteaForgeFor } from '../../../src/adapters/gitea/gitea-forge.js';
import type { SystemGitRepository } from '../../../src/adapters/git/system-git-repository.js';
import type { Forge } from '../../../src/domain/forge/forge.js';
import { FaultProxy } from '../../support/faults/fault-proxy.js';
import { repeatLikeAnActivity } from '../../support/faults/repeat-like-an-activity.js';
import { FAULTS, pick, SeededFaults, seededRandom } from '../../support/faults/seeded-faults.js';
import { Written } from '../../support/faults/written.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { git, GitFixture, pushedVerdict } from '../git/git-fixture.js';

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 200);
const SEED = Number(process.env['FAULT_SEED'] ?? 1);
const ISSUES = 8;
const FAULTS_EACH = 4;
/** Fewer of those that take the forge a second; a review needs a pull request, and that a push. */
const MIX = ['comment', 'description', 'reaction'].flatMap((kind) => Array<string>(6).fill(kind));
MIX.push('review', 'review', 'pull', 'pull', 'push');

describe(`${String(ROUNDS)} writes to Gitea through a faulty network (FAULT_SEED=${String(SEED)})`, function () {
  const lifetimeMs = 60_000 + ROUNDS * 1_000;
  this.timeout(lifetimeMs);
  // Two streams: which writes they are depends on the seed alone, not on how a fault went.
  const random = seededRandom(SEED);
  const faults = new SeededFaults(seededRandom(SEED + 1), FAULTS_EACH);
  const said: string[] = [];
  let gitea: Gitea;
  let proxy: FaultProxy;
  let client: GiteaClient;
  let forge: Forge;
  let repository: SystemGitRepository;
  let fixture: GitFixture;
  let written: Written;
  let repo: { readonly forge: 'gitea'; readonly owner: 'alice'; readonly repo: string };
  let base: string;

  before(async () => {
    gitea = await sharedGitea();
    repo = { forge: 'gitea', owner: 'alice', repo: `faults-${String(SEED)}` };
    const fullName = await gitea.addRepository(gitea.alice, repo.repo);
    const alice = gitea.alice.on(fullName);
    const issues: number[] = [];
    for (let i = 0; i < ISSUES; i += 1) issues.push(await alice.createIssue({ title: `issue ${String(i)}` }));
    written = new Written(issues);

    proxy = await FaultProxy.start({ forge: gitea.url, choose: faults.choose, lifetimeMs });
    const token = gitea.bot.publisherToken;
    client = new GiteaClient({ baseUrl: proxy.url, token, retry: { tries: 3, baseMs: 1, capMs: 5 } });
    forge = giteaForgeFor(client)(repo);
    fixture = new GitFixture();
    repository = fixture.repository({
      cloneUrl: () => `${proxy.url}/${fullName}.git`,
      readToken: () => token,
      publishToken: () => token,
      // Some cut reports leave git waiting; the time-out's kill in the middle of a push is one more fault.
      pushTimeoutMs: 8_000,
    });
    git(fixture.work, 'fetch', '-q', `${gitea.url}/${fullName}.git`, 'main');
    base = git(fixture.work, 'rev-parse', 'FETCH_HEAD');
  });

  after(async () => {
    client.close();
    fixture.remove();
    await proxy.close();
  });

  /** One write, repeated until it is done, and now and then once more: the answer of the last try may be lost, too. */
  async function write<T>(operation: string, work: () => Promise<T>): Promise<{ first: T; again: T }> {
    faults.begin(operation);
    const first = await repeatLikeAnActivity(work, (text) => said.push(text));
    if (random() >= 0.25) return { first, again: first };
    faults.begin(operation);
    return { first, again: await repeatLikeAnActivity(work, (text) => said.push(text)) };
  }

  const writes: Readonly<Record<string, (round: number) => Promise<void>>> = {
    async comment(round) {
      const number = pick(random, written.subjects);
      const text = `comment ${String(round)}`;
      const { first, again } = await write('comment', () => forge.postComment(number, text, `run/${text}`));
      assert.equal(again.id, first.id);
      written.comments.set(number, [...(written.comments.get(number) ?? []), text]);
    },
    async description(round) {
      const number = pick(random, written.issues);
      const text = `text ${String(round)}`;
      await write('description', () => forge.updateDescription(number, text));
      // At once, not only in the end: a later text would hide one that was lost.
      const issue = await gitea.alice.api.object('GET', `/repos/alice/${repo.repo}/issues/${String(number)}`);
      assert.equal(issue['body'], text);
      written.descriptions.set(number, text);
    },
    async reaction() {
      const number = pick(random, written.subjects);
      const reaction = pick(random, ['eyes', 'confused'] as const);
      await write('reaction', () => forge.react(number, reaction));
      written.reactions.set(number, (written.reactions.get(number) ?? new Set()).add(reaction));
    },
    async push(round) {
      const branch = `bot-bottle/${String(pick(random, written.issues))}-r${String(round).padStart(4, '0')}`;
      git(fixture.work, 'checkout', '-q', '-B', branch, base);
      const head = fixture.commit(fixture.work, `round-${String(round)}.txt`, branch);
      const bundleFile = fixture.bundle([base], branch);
      const publish = () => fixture.publish({ repo, branch, bundleFile, baseSha: base }, repository);
      const { again } = await write('push', publish);
      // Nobody is told of the commit's first arrival when that answer was lost; that it is there is what counts.
      if (again.kind === 'unchanged') assert.deepEqual(again, { kind: 'unchanged', head, onForge: true });
      else assert.deepEqual(again, pushedVerdict(head));
      written.pushes.set(branch, head);
    },
    async pull(round) {
      const head = [...written.pushes.keys()].find((branch) => !written.prs.has(branch));
      if (head === undefined) return writes['push']?.(round);
      const input = { title: `PR ${String(round)}`, body: 'Closes nothing', head, base: 'main' };
      const { first, again } = await write('pull', () => forge.openPr(input));
      assert.equal(again.number, first.number);
      written.prs.set(head, first.number);
    },
    async review(round) {
      const number = [...written.prs.values()].find((pr) => !written.reviewers.has(pr));
      if (number === undefined) return writes['pull']?.(round);
      await write('review', () => forge.requestReview(number, 'alice'));
      written.reviewers.set(number, 'alice');
    },
  };

  it('leaves each of them on the forge exactly once, and loses none', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      await writes[pick(random, MIX)]?.(round);
    }
    await written.assertOn(gitea.alice.api, `alice/${repo.repo}`);
    assert.deepEqual(fixture.quarantines(), []);
  });

  it('has met every fault with every kind of write', function () {
    if (ROUNDS < 200) this.skip();
    const all = Object.keys(writes).flatMap((kind) =>
      Object.keys(FAULTS).map((fault) => `${kind}: ${fault}`),
    );
    assert.deepEqual(
      all.filter((one) => !faults.met.has(one)),
      [],
    );
    assert.ok(said.length > 0, 'and some were seen by the caller');
  });

  it('has shown the token in the authorization header only, and in no error', () => {
    const token = gitea.bot.publisherToken;
    const forms = [token, Buffer.from(`bot-bottle:${token}`).toString('base64')];
    const clear = proxy.seen.map(({ method, target, headers, body }) => {
      const rest = [...headers].filter(([name]) => name !== 'authorization');
      return `${method} ${target} ${JSON.stringify(rest)} ${body}`;
    });
    assert.ok(proxy.seen.some(({ headers }) => headers.get('authorization') === `token ${token}`));
    assert.ok(proxy.seen.some(({ headers }) => headers.get('authorization')?.startsWith('Basic ') === true));
    const leaks = [...clear, ...said].filter((text) => forms.some((form) => text.includes(form)));
    assert.deepEqual(leaks, []);
  });
});
