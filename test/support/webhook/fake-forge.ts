import { ForgeHttpError } from '../../../src/domain/base/errors.js';
import type {
  CheckStatus,
  Comment,
  ForgeUser,
  Issue,
  LinkedPull,
  Permission,
  Place,
  PullRequest,
  Review,
  TimelineAct,
} from '../../../src/domain/forge/issue.js';
import type { Forge, ForgeReaction, ForgeUnit, RepositoryFile } from '../../../src/domain/forge/forge.js';

export const user = (login: string, id: number): ForgeUser => ({ id, login });
export const BOT = user('bot', 9);
export const ALICE = user('alice', 2);
const iso = (ms: number): string => new Date(ms).toISOString();

/** As Gitea does unless it is set otherwise. */
const isDraft = (title: string): boolean => /^(WIP:|\[WIP\])/i.test(title);

/** A repository in memory that can be away: for the faults that no real server can be told to make. */
export class FakeForge {
  readonly issues = new Map<number, Issue>();
  readonly pulls = new Map<number, PullRequest>();
  readonly comments = new Map<number, Comment>();
  readonly reviews = new Map<number, Review[]>();
  readonly timelines = new Map<number, TimelineAct[]>();
  readonly linkedPulls: LinkedPull[] = [];
  /** By commit. */
  readonly statuses = new Map<string, CheckStatus[]>();
  /** Of checks, by name. */
  readonly logs = new Map<string, string>();
  /** Head of the default branch, and the files that commits have, by `<commit>:<path>`. */
  defaultHead: string | undefined = 'd'.repeat(40);
  readonly files = new Map<string, RepositoryFile>();
  readonly members = new Set(['bot']);
  readonly permissions = new Map<string, Permission>([['alice', 'write']]);
  readonly reactions: [number, ForgeReaction][] = [];
  readonly calls: string[] = [];
  /** Where repositories are, by id. */
  readonly places = new Map<number, Place>([[7, { repoId: 7, owner: 'alice', repo: 'demo' }]]);
  /** Switched off in the repository, or withheld from the bot. */
  readonly hidden = new Set<ForgeUnit>();
  /** `Forge.aheadMs` */
  aheadMs = 0;
  /** The bot, here. */
  mayPush = true;
  #acts = 0;
  /** Throws what is wrong with a call, if anything. */
  fault: (call: string) => void = () => undefined;

  notFound(): ForgeHttpError {
    return new ForgeHttpError(404, 'GET', '/', 'not found');
  }

  putIssue(number: number, changes: Partial<Issue> = {}): Issue {
    const issue: Issue = {
      number,
      title: `Issue ${String(number)}`,
      body: 'text',
      state: 'open',
      labels: [],
      assignees: [],
      author: ALICE,
      url: `https://forge.example/alice/demo/issues/${String(number)}`,
      ref: '',
      locked: false,
      isPull: false,
      createdAt: iso(0),
      updatedAt: iso(0),
      closedAt: null,
      ...this.issues.get(number),
      ...changes,
    };
    this.issues.set(number, issue);
    return issue;
  }

  putPull(number: number, changes: Partial<PullRequest> = {}): void {
    this.pulls.set(number, {
      number,
      title: 'PR',
      body: '',
      state: 'open',
      merged: false,
      draft: false,
      labels: [],
      assignees: [],
      author: BOT,
      url: `https://forge.example/alice/demo/pulls/${String(number)}`,
      head: { ref: 'feature', sha: 'c0ffee', fromFork: false },
      base: { ref: 'main', sha: 'ba5e' },
      updatedAt: iso(5000),
      closedAt: null,
      ...changes,
    });
  }

  putComment(id: number, author: ForgeUser, body: string, at = 7000): void {
    this.comments.set(id, { id, author, body, url: '', createdAt: iso(0), updatedAt: iso(at) });
  }

  act(number: number, kind: TimelineAct['kind'], what: string, at: number, actor: ForgeUser = ALICE): void {
    const id = (this.#acts += 1);
    this.timelines.set(number, [
      ...(this.timelines.get(number) ?? []),
      { id, kind, what, actor, at: iso(at) },
    ]);
  }

  /** Label and assignment of the trigger, completed at `at`. */
  trigger(number: number, at: number, agent = 'coder', actor: ForgeUser = ALICE): void {
    this.putIssue(number, { labels: [`bot-bottle:${agent}`], assignees: [BOT] });
    this.act(number, 'assigned', 'bot', at - 1000, actor);
    this.act(number, 'labeled', `bot-bottle:${agent}`, at, actor);
  }

  /** A file on the default branch as it is now. */
  putFile(path: string, text: string): void {
    this.files.set(`${String(this.defaultHead)}:${path}`, { kind: 'file', content: Buffer.from(text) });
  }

  bind(): Forge {
    const find = <T>(
      what: string,
      map: ReadonlyMap<number, T>,
      number: number,
      unitOf?: (found: T) => ForgeUnit,
    ): Promise<T> =>
      this.#call(`${what} ${String(number)}`, () => {
        const found = map.get(number);
        if (found === undefined || (unitOf && this.hidden.has(unitOf(found)))) throw this.notFound();
        return found;
      });
    const openPull = (isMeant: (pull: PullRequest) => boolean): PullRequest | undefined => {
      if (this.hidden.has('pulls')) throw this.notFound();
      return [...this.pulls.values()].find((pull) => isMeant(pull) && pull.state === 'open');
    };
    const edit = (number: number, changes: Partial<PullRequest>): Promise<void> =>
      this.#call(`edit ${Object.keys(changes).join()} of ${String(number)}`, () => {
        const pull = this.pulls.get(number);
        if (pull === undefined) throw this.notFound();
        this.putPull(number, { ...pull, ...changes });
      });
    const unused = (): never => {
      throw new Error('the dispatcher has no business with this call');
    };
    return {
      aheadMs: this.aheadMs,
      readIssue: (number) =>
        find('issue', this.issues, number, ({ isPull }) => (isPull ? 'pulls' : 'issues')),
      readPr: (number) => find('pull', this.pulls, number, () => 'pulls'),
      readComment: (id) => find('comment', this.comments, id),
      readReviews: (number) => this.#call('reviews', () => this.reviews.get(number) ?? []),
      readTimeline: (number) =>
        this.#call('timeline', () => {
          // As Gitea 1.26 does, where everything else says 404.
          if (!this.issues.has(number) && !this.pulls.has(number))
            throw new ForgeHttpError(500, 'GET', '/', 'issue does not exist');
          return this.timelines.get(number) ?? [];
        }),
      isOrgMember: (_org, login) => this.#call(`member ${login}`, () => this.members.has(login)),
      permissionOf: (login) => this.#call(`permission ${login}`, () => this.permissions.get(login) ?? 'read'),
      readWriters: () =>
        this.#call('writers', () =>
          [...this.permissions].flatMap(([login, right]) => (/write|admin/.test(right) ? [login] : [])),
        ),
      readOrgMembers: () => this.#call('members', () => [...this.members]),
      findOpenPrByHead: (branch) => this.#call('head', () => openPull((pull) => pull.head.ref === branch)),
      canRead: (unit) => this.#call(`can read ${unit}`, () => !this.hidden.has(unit)),
      whereIs: (repoId) => this.#call(`where ${String(repoId)}`, () => this.places.get(repoId)),
      whoAmI: () => this.#call('whoami', () => BOT),
      react: (number, reaction) => this.#call('react', () => void this.reactions.push([number, reaction])),
      readComments: (number) =>
        this.#call('comments', () => (number === 12 ? [...this.comments.values()] : [])),
      readDiff: unused,
      readLinkedPulls: () => this.#call('linked', () => this.linkedPulls),
      readChecks: unused,
      readStatuses: (sha) => this.#call(`statuses ${sha}`, () => this.statuses.get(sha) ?? []),
      readCheckLog: (check) =>
        this.#call(`log of ${check.context}`, () => this.logs.get(check.context) ?? null),
      findOpenPrByCommit: (sha) => this.#call('commit', () => openPull((pull) => pull.head.sha === sha)),
      postComment: unused,
      updateDescription: (number, body) => edit(number, { body }),
      updateTitle: (number, title) => edit(number, { title, draft: isDraft(title) }),
      isPrOpen: (number) =>
        this.#call(`is open ${String(number)}`, () => this.pulls.get(number)?.state === 'open'),
      openPr: ({ title, body, head, headOwner, base }) =>
        this.#call(`open ${headOwner === undefined ? '' : `${headOwner}:`}${head}`, () => {
          const number = Math.max(30, ...this.pulls.keys()) + 1;
          const at = {
            head: { ref: head, sha: 'c0ffee', fromFork: headOwner !== undefined },
            base: { ref: base, sha: 'ba5e' },
          };
          this.putPull(number, { title, body, draft: isDraft(title), ...at });
          const made = this.pulls.get(number);
          if (made === undefined) throw this.notFound();
          return made;
        }),
      requestReview: (number, login) =>
        this.#call(`review of ${String(number)} by ${login}`, () => undefined),
      readDefaultHead: () => this.#call('head of default', () => this.defaultHead),
      readFile: (path, commit) =>
        this.#call(`file ${path}`, () => this.files.get(`${commit}:${path}`) ?? { kind: 'none' as const }),
      readRepository: () =>
        this.#call('repository', () => ({
          id: 7,
          defaultBranch: 'main',
          permissions: { push: this.mayPush, admin: false },
        })),
    };
  }

  async #call<T>(name: string, answer: () => T): Promise<T> {
    this.calls.push(name);
    await Promise.resolve();
    this.fault(name);
    return answer();
  }
}
