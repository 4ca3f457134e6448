/** People act on a forge in memory, and each act brings the deliveries that Gitea sends for it (docs/forge-events.md). */
import type { ForgeUser } from '../../../src/domain/forge/issue.js';
import { ALICE, BOT, FakeForge, user } from './fake-forge.js';
import { commentEvent, issueEvent, pullEvent } from './payloads.js';

export const DAVE = user('dave', 3);
/** May write nothing here. */
export const MALLORY = user('mallory', 66);
/** Has write access, and is named in `FORGE_WAKE_IGNORE`. */
export const RENOVATE = user('renovate', 77);
export const PEOPLE = { alice: ALICE, dave: DAVE, mallory: MALLORY, renovate: RENOVATE, bot: BOT } as const;
export type Who = keyof typeof PEOPLE;
/** People who may drive an agent; `renovate` may only trigger one. */
export const mayDrive = (who: Who): boolean => who === 'alice' || who === 'dave';
export const mayWrite = (who: Who): boolean => who !== 'mallory';

export type ActKind =
  | { readonly kind: 'label' | 'unlabel' | 'labelAgain'; readonly agent: string }
  | { readonly kind: 'assign' | 'unassign'; readonly login: 'bot' | 'alice' }
  | { readonly kind: 'close' | 'reopen' | 'comment' | 'edit' | 'deleteComment' | 'editTitle' }
  | { readonly kind: 'closePr' | 'mergePr' | 'reopenPr' | 'commentPr' | 'pushPr' };
export type ForgeAct = ActKind & { readonly who: Who };

export interface Sent {
  readonly eventType: string;
  readonly payload: object;
}

/** One thing that somebody did, in the order in which it was done. */
export interface Done {
  readonly order: number;
  /** Epoch milliseconds; the forge tells whole seconds. */
  readonly at: number;
  readonly issue: number;
  readonly act: ForgeAct['kind'] | 'open';
  readonly who: Who;
  /** The agent of a label, the login of an assignee, a new title, else empty. */
  readonly what: string;
  /** The PR it was done to; 0 for the issue itself. */
  readonly pr: number;
}

export interface Written {
  readonly id: number;
  readonly issue: number;
  /** The PR it stands on; 0 for the issue itself. */
  readonly pr: number;
  readonly who: Who;
  /** Every text it had, with who wrote it when. */
  readonly texts: { readonly text: string; readonly by: Who; readonly at: number }[];
  deletedAt: number | null;
}

const second = (ms: number): number => Math.floor(ms / 1000) * 1000;
const iso = (ms: number): string => new Date(second(ms)).toISOString();

/** Issues have numbers from `first` on, two apart per hundred; their pull requests come after them. */
export class ForgePlay {
  readonly forge = new FakeForge();
  readonly done: Done[] = [];
  readonly written: Written[] = [];
  readonly sent: Sent[] = [];
  /** Every PR by the issue whose run opened it, oldest first. */
  readonly prs = new Map<number, number[]>();
  #nextPr: number;

  constructor(
    readonly issues: readonly number[],
    private readonly now: () => number,
  ) {
    this.#nextPr = (issues[0] ?? 0) + 10;
    for (const login of ['dave', 'renovate', 'bot']) this.forge.permissions.set(login, 'write');
  }

  /** With label and assignee at once: three deliveries, each with the whole. */
  open(issue: number, readyMade: boolean, who: Who): void {
    const at = this.now();
    const labels = readyMade ? ['bot-bottle:coder'] : [];
    const assignees = readyMade ? [BOT] : [];
    const createdAt = iso(at);
    this.forge.putIssue(issue, { author: PEOPLE[who], labels, assignees, createdAt, contentVersion: 0 });
    this.#note(issue, 'open', who);
    if (readyMade) {
      this.forge.act(issue, 'labeled', 'bot-bottle:coder', second(at), PEOPLE[who]);
      this.#note(issue, 'label', who, 'coder');
      this.forge.act(issue, 'assigned', 'bot', second(at), PEOPLE[who]);
      this.#note(issue, 'assign', who, 'bot');
      this.#tellIssue(issue, 'issue_assign', 'assigned', who);
    }
    this.#tellIssue(issue, 'issues', 'opened', who);
    if (readyMade) this.#tellIssue(issue, 'issue_label', 'label_updated', who);
  }

  /** What cannot be done, or would change nothing, is not done. */
  perform(issue: number, act: ForgeAct): void {
    const found = this.forge.issues.get(issue);
    if (found === undefined) return;
    const { who } = act;
    const by = PEOPLE[who];
    const at = second(this.now());
    const own = found.author.login === who;
    switch (act.kind) {
      case 'label':
      case 'unlabel': {
        const name = `bot-bottle:${act.agent}`;
        if (!mayWrite(who) || found.labels.includes(name) === (act.kind === 'label')) return;
        const rest = found.labels.filter((label) => label !== name);
        this.forge.putIssue(issue, { labels: act.kind === 'label' ? [...rest, name] : rest });
        this.forge.act(issue, act.kind === 'label' ? 'labeled' : 'unlabeled', name, at, by);
        this.#note(issue, act.kind, who, act.agent);
        return this.#tellIssue(issue, 'issue_label', 'label_updated', who);
      }
      case 'labelAgain':
        if (mayWrite(who)) this.#tellIssue(issue, 'issue_label', 'label_updated', who);
        return;
      case 'assign':
      case 'unassign': {
        const is = found.assignees.some(({ login }) => login === act.login);
        if (!mayWrite(who) || is === (act.kind === 'assign')) return;
        const rest = found.assignees.filter(({ login }) => login !== act.login);
        const assignees: ForgeUser[] = act.kind === 'assign' ? [...rest, PEOPLE[act.login]] : rest;
        this.forge.putIssue(issue, { assignees });
        this.forge.act(issue, act.kind === 'assign' ? 'assigned' : 'unassigned', act.login, at, by);
        this.#note(issue, act.kind, who, act.login);
        return this.#tellIssue(issue, 'issue_assign', `${act.kind}ed`, who);
      }
      case 'close':
      case 'reopen': {
        const target = act.kind === 'close' ? 'closed' : 'open';
        if ((!mayWrite(who) && !own) || found.state === target) return;
        return this.#setState(issue, target, who);
      }
      case 'editTitle': {
        if (!mayWrite(who) && !own) return;
        const title = `Title-${String(this.done.length)}-end`;
        this.forge.putIssue(issue, { title });
        this.forge.act(issue, 'edited', 'title', at, by);
        this.#note(issue, 'editTitle', who, title);
        return this.#tellIssue(issue, 'issues', 'edited', who);
      }
      case 'comment':
        return this.#comment(issue, 0, who);
      case 'edit':
      case 'deleteComment':
        return this.#change(issue, act.kind, who);
      default:
        return this.#onPull(issue, act.kind, who);
    }
  }

  /** The publish gate's: the open one of the branch, or a new one, told as the bot's doing. */
  openPr(issue: number, branch: string): number {
    const known = (this.prs.get(issue) ?? []).find((number) => {
      const pull = this.forge.pulls.get(number);
      return pull?.head.ref === branch && pull.state === 'open';
    });
    if (known !== undefined) return known;
    const number = (this.#nextPr += 1);
    const head = { ref: branch, sha: `sha-${String(number)}-0`, fromFork: false };
    this.forge.putPull(number, { head, updatedAt: iso(this.now()) });
    this.forge.putIssue(number, { isPull: true, author: BOT });
    this.prs.set(issue, [...(this.prs.get(issue) ?? []), number]);
    this.#tellPull(number, 'pull_request', 'opened', 'bot');
    return number;
  }

  branchOf(pr = 0): string {
    return this.forge.pulls.get(pr)?.head.ref ?? '';
  }

  #setState(issue: number, state: 'open' | 'closed', who: Who): void {
    const at = this.now();
    this.forge.putIssue(issue, { state, closedAt: state === 'open' ? null : iso(at) });
    this.forge.act(issue, state === 'open' ? 'reopened' : 'closed', '', second(at), PEOPLE[who]);
    this.#note(issue, state === 'open' ? 'reopen' : 'close', who);
    this.#tellIssue(issue, 'issues', state === 'open' ? 'reopened' : 'closed', who);
  }

  #comment(issue: number, pr: number, who: Who): void {
    const id = issue * 1000 + this.written.length + 1;
    const text = `said-${String(id)}-0-end`;
    this.forge.putComment(id, PEOPLE[who], text);
    const texts = [{ text, by: who, at: this.now() }];
    const written = { id, issue, pr, who, texts, deletedAt: null };
    this.written.push(written);
    this.#tellComment(written, 'created', who);
  }

  #change(issue: number, kind: 'edit' | 'deleteComment', who: Who): void {
    const written = this.written.findLast((one) => one.issue === issue && one.deletedAt === null);
    if (written === undefined || (written.who !== who && !mayWrite(who))) return;
    const { id } = written;
    if (kind === 'deleteComment') {
      written.deletedAt = this.now();
      this.forge.comments.delete(id);
      return this.#tellComment(written, 'deleted', who);
    }
    const text = `said-${String(id)}-${String(written.texts.length)}-end`;
    written.texts.push({ text, by: who, at: this.now() });
    this.forge.putComment(id, PEOPLE[written.who], text);
    this.#tellComment(written, 'edited', who);
  }

  #onPull(issue: number, kind: 'closePr' | 'mergePr' | 'reopenPr' | 'commentPr' | 'pushPr', who: Who): void {
    const number = this.prs.get(issue)?.at(-1);
    const pull = number === undefined ? undefined : this.forge.pulls.get(number);
    if (number === undefined || pull === undefined) return;
    if (kind === 'commentPr') return this.#comment(issue, number, who);
    if (!mayWrite(who) || pull.merged || (kind === 'reopenPr') === (pull.state === 'open')) return;
    const at = this.now();
    const change = { ...pull, updatedAt: iso(at) };
    switch (kind) {
      case 'pushPr': {
        const sha = `sha-${String(number)}-${String(at)}-${String(this.done.length)}`;
        this.forge.putPull(number, { ...change, head: { ...pull.head, sha } });
        this.forge.act(number, 'pushed', sha, second(at), PEOPLE[who]);
        return this.#tellPull(number, 'pull_request_sync', 'synchronized', who);
      }
      case 'reopenPr':
        this.forge.putPull(number, { ...change, state: 'open', closedAt: null });
        this.forge.act(number, 'reopened', '', second(at), PEOPLE[who]);
        this.#note(issue, kind, who, '', number);
        return this.#tellPull(number, 'pull_request', 'reopened', who);
      default: {
        const merged = kind === 'mergePr';
        this.forge.putPull(number, { ...change, state: 'closed', merged, closedAt: iso(at) });
        this.forge.act(number, 'closed', '', second(at), PEOPLE[who]);
        this.#note(issue, kind, who, '', number);
        this.#tellPull(number, 'pull_request', 'closed', who);
        // Its text says `Closes #<issue>`.
        if (merged && this.forge.issues.get(issue)?.state === 'open') this.#setState(issue, 'closed', who);
      }
    }
  }

  #note(issue: number, act: Done['act'], who: Who, what = '', pr = 0): void {
    this.done.push({ order: this.done.length, at: this.now(), issue, act, who, what, pr });
  }

  /** What tells two deliveries of one state apart is the order number alone: two acts may have the same second. */
  #salt(): string {
    return `${iso(this.now())} ${String(this.sent.length)}`;
  }

  #tellIssue(number: number, eventType: string, action: string, who: Who): void {
    const { labels = [], assignees = [] } = this.forge.issues.get(number) ?? {};
    const payload = issueEvent({
      ...{ number, action, labels, assignees, sender: PEOPLE[who], salt: this.#salt() },
    });
    this.sent.push({ eventType, payload });
  }

  #tellComment({ issue, pr, id }: Written, action: string, who: Who): void {
    const common = {
      number: pr === 0 ? issue : pr,
      action,
      commentId: id,
      sender: PEOPLE[who],
      salt: this.#salt(),
    };
    const headRef = this.forge.pulls.get(pr)?.head.ref;
    if (headRef === undefined) this.sent.push({ eventType: 'issue_comment', payload: commentEvent(common) });
    else
      this.sent.push({
        eventType: 'pull_request_comment',
        payload: commentEvent({ ...common, pull: { headRef } }),
      });
  }

  #tellPull(number: number, eventType: string, action: string, who: Who): void {
    const headRef = this.forge.pulls.get(number)?.head.ref ?? '';
    const payload = pullEvent({ number, action, headRef, sender: PEOPLE[who], salt: this.#salt() });
    this.sent.push({ eventType, payload });
  }
}
