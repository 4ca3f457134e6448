import type { Forge, ForgeUnit } from '../../src/domain/forge/forge.js';

/** Somebody acting on the forge behind the product's back; the repository holds README.md and greet.sh on `main`. */
export interface ForgePerson {
  readonly login: string;
  createIssue(issue: {
    title: string;
    body?: string;
    labels?: string[];
    assignees?: string[];
    ref?: string;
  }): Promise<number>;
  addLabel(number: number, label: string): Promise<void>;
  removeLabel(number: number, label: string): Promise<void>;
  assign(number: number, login: string): Promise<void>;
  unassign(number: number, login: string): Promise<void>;
  comment(number: number, body: string): Promise<number>;
  editComment(id: number, body: string): Promise<void>;
  deleteComment(id: number): Promise<void>;
  /** From then on only who may write to the repository may comment there. */
  lock(number: number): Promise<void>;
  closeIssue(number: number): Promise<void>;
  reopen(number: number): Promise<void>;
  openPr(pr: { title: string; head: string; base?: string; body?: string; draft?: boolean }): Promise<number>;
  closePr(number: number): Promise<void>;
  mergePr(number: number): Promise<void>;
  review(
    number: number,
    review: {
      verdict: 'approve' | 'request_changes' | 'comment';
      body?: string;
      comments?: { path: string; line: number; body: string }[];
    },
  ): Promise<number>;
  createFile(file: { branch: string; path: string; content: string; from?: string }): Promise<string>;
  setStatus(sha: string, context: string, state: string, description?: string): Promise<void>;
  comments(number: number): Promise<readonly { id: number; login: string; body: string }[]>;
}

export interface ForgeWorld {
  /** The bot's forge with its wider token, bound to the owner's repository. */
  readonly forge: Forge;
  readonly org: string;
  /** The bot's login: a private member of `org` with write access, no admin. */
  readonly bot: string;
  readonly owner: ForgePerson;
  /** Has an account, and no right here. */
  readonly stranger: ForgePerson;
  /** What an issue made with the base branch `main` names: empty where issues name none. */
  readonly issueRef: 'main' | '';
  /** Forks the repository as the stranger, with one commit on `branch`, and opens a PR from there. */
  prFromFork(branch: string): Promise<number>;
  reactionsOn(number: number): Promise<readonly { login: string; content: string }[]>;
  requestedReviewers(prNumber: number): Promise<readonly string[]>;
  /** Of the repository, as its owner does it in the settings. */
  switchUnits(on: Readonly<Record<ForgeUnit, boolean>>): Promise<void>;
  /** Hides the repository from everybody without a right to it, or shows it. */
  hide(isHidden: boolean): Promise<void>;
  issueBody(number: number): Promise<string>;
}

export interface BranchWithCommit {
  readonly branch: string;
  readonly sha: string;
  /** The one new file, three lines long. */
  readonly path: string;
}

let branches = 0;

/** A prepared world with what most tests begin with. */
export class ForgeFixture {
  readonly forge: Forge;
  readonly owner: ForgePerson;

  constructor(readonly world: ForgeWorld) {
    this.forge = world.forge;
    this.owner = world.owner;
  }

  async branchWithCommit(prefix = 'feature/x'): Promise<BranchWithCommit> {
    branches += 1;
    const branch = `${prefix}-${String(branches)}`;
    const path = `file-${String(branches)}.txt`;
    const sha = await this.owner.createFile({ branch, path, content: 'one\ntwo\nthree\n', from: 'main' });
    return { branch, sha, path };
  }

  async pr(): Promise<BranchWithCommit & { readonly number: number }> {
    const made = await this.branchWithCommit();
    return {
      ...made,
      number: await this.owner.openPr({ title: 'Three lines', head: made.branch, body: 'Closes nothing' }),
    };
  }
}
