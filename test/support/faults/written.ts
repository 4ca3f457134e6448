import assert from 'node:assert/strict';
import { textIn } from '../gitea/api.js';
import type { Api } from '../gitea/api.js';

/** What a sequence of writes must have left on the forge, once each. */
export class Written {
  /** Texts by number, in order. */
  readonly comments = new Map<number, string[]>();
  readonly descriptions = new Map<number, string>();
  readonly reactions = new Map<number, Set<string>>();
  /** Head branch to the PR's number. */
  readonly prs = new Map<string, number>();
  /** Number of a PR to whom it asks. */
  readonly reviewers = new Map<number, string>();
  /** Branch to the commit pushed. */
  readonly pushes = new Map<string, string>();

  constructor(readonly issues: readonly number[]) {}

  get subjects(): number[] {
    return [...this.issues, ...this.prs.values()];
  }

  /** Compares with the repository as `api` sees it: nothing missing, nothing twice, nothing else. */
  async assertOn(api: Api, repo: string): Promise<void> {
    const path = `/repos/${repo}`;
    const prs = await everyPage(api, `${path}/pulls?state=all`);
    assert.deepEqual(
      prs.map((pr) => [inside(pr, 'head', 'ref'), pr['number'], pr['state']]).sort(byText),
      [...this.prs].map(([head, number]) => [head, number, 'open']).sort(byText),
      'one open pull request for each head, and no other',
    );
    for (const number of this.subjects) await this.#assertSubject(api, path, number);
    for (const [branch, sha] of this.pushes) {
      const tip = await api.object('GET', `${path}/branches/${encodeURIComponent(branch)}`);
      assert.equal(inside(tip, 'commit', 'id'), sha, `tip of ${branch}`);
    }
    // A branch's creation is an entry of the same type, but has no commits as content.
    const pushed = (await everyPage(api, `${path}/activities/feeds?`))
      .filter((act) => act['op_type'] === 'commit_repo' && act['content'] !== '')
      .filter((act) => act['ref_name'] !== 'refs/heads/main')
      .map((act) => textIn(act, 'ref_name'));
    assert.deepEqual(
      pushed.sort(),
      [...this.pushes.keys()].map((branch) => `refs/heads/${branch}`).sort(),
      'one push for each branch',
    );
  }

  async #assertSubject(api: Api, path: string, number: number): Promise<void> {
    const issue = `${path}/issues/${String(number)}`;
    const where = `#${String(number)}`;
    const comments = await everyPage(api, `${issue}/comments?`);
    assert.deepEqual(
      comments.map((comment) => textIn(comment, 'body').split('\n')[0]),
      this.comments.get(number) ?? [],
      `comments of ${where}`,
    );
    const reactions = await api.call('GET', `${issue}/reactions`);
    assert.deepEqual(
      ((reactions ?? []) as Record<string, unknown>[]).map((one) => one['content']).sort(),
      [...(this.reactions.get(number) ?? [])].sort(),
      `reactions to ${where}`,
    );
    const wanted = this.descriptions.get(number);
    if (wanted !== undefined) {
      assert.equal((await api.object('GET', issue))['body'], wanted, `text of ${where}`);
    }
    if (![...this.prs.values()].includes(number)) return;
    const reviews = await everyPage(api, `${path}/pulls/${String(number)}/reviews?`);
    const reviewer = this.reviewers.get(number);
    assert.deepEqual(
      reviews.map((review) => [review['state'], inside(review, 'user', 'login')]),
      reviewer === undefined ? [] : [['REQUEST_REVIEW', reviewer]],
      `review requests of ${where}`,
    );
    // Repeated requests leave no trace either.
    const asked = (await everyPage(api, `${issue}/timeline?`)).filter(
      (act) => act['type'] === 'review_request',
    );
    assert.equal(asked.length, reviewer === undefined ? 0 : 1, `entries of review requests of ${where}`);
  }
}

async function everyPage(api: Api, path: string): Promise<Record<string, unknown>[]> {
  const items = new Map<unknown, Record<string, unknown>>();
  for (let page = 1; ; page += 1) {
    // Gitea writes an empty list as `null` in places.
    const answer = await api.call('GET', `${path}&limit=50&page=${String(page)}`);
    const found = (answer ?? []) as Record<string, unknown>[];
    const before = items.size;
    for (const item of found) items.set(item['id'], item);
    // Some lists know no pages and repeat themselves.
    if (items.size === before) return [...items.values()];
  }
}

function inside(object: Record<string, unknown>, key: string, inner: string): unknown {
  return (object[key] as Record<string, unknown> | null)?.[inner];
}

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  return String(a[0]).localeCompare(String(b[0]));
}
