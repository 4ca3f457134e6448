/**
 * The person of one life: makes the issue, comments when the plan says so, asks a run that froze without being done to go
 * on, and merges or closes in the end. Looks at forge, rows and files, and asks the struck parts nothing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { SubjectRef } from '../../../src/domain/forge/issue.js';
import type { Stack } from '../stack/stack.js';
import { StackFiles } from '../stack/stack-files.js';
import { LifeFiles } from './life-files.js';
import { pullsOf, postsOf } from './forge-look.js';
import type { LifePlan } from './plan.js';
import { answerWord, askWord, commentBody, hasWord, issueBody } from './words.js';

const LOOK_MS = 1_000;
/** A run that is frozen for so long does not go on by itself. */
const QUIET_MS = 8_000;
/** A comment that no prompt has after so long is lost: polling, engine and slots have had their time. */
const LOST_MS = 150_000;
/** With the planned comments less than the ten wakes an hour after which a run pauses. */
const MAX_GO_ONS = 6;
const MERGE_TRIES = 10;

/** What there is to do now; with the reason to ask it to go on. */
type Next = 'wait' | 'end' | { readonly goOn: string };

interface Written {
  readonly comment: number;
  readonly at: number;
}

export class LifePerson {
  readonly written: Written[] = [];
  /** Why it was asked to go on, once for each time. */
  readonly goOns: string[] = [];
  readonly trouble: string[] = [];
  subject: SubjectRef | undefined;
  ended = false;

  constructor(
    private readonly stack: Stack,
    readonly plan: LifePlan,
    private readonly say: (text: string) => void,
  ) {}

  /** Until the life has ended, or the signal aborts. Errors: the forge's. */
  async live(signal: AbortSignal): Promise<void> {
    if (!(await pause(this.plan.startMs, signal))) return;
    const files = await this.#begin();
    let due = Date.now();
    for (const { gapMs, on } of this.plan.comments) {
      due += gapMs;
      while (Date.now() < due) if (!(await pause(Math.min(LOOK_MS, due - Date.now()), signal))) return;
      await this.#comment(files, on, 'one more line, please');
    }
    for (;;) {
      if (!(await pause(LOOK_MS, signal))) return;
      const next = await this.#next(files);
      if (next === 'wait') continue;
      if (next === 'end') break;
      this.goOns.push(next.goOn);
      await this.#comment(files, 'issue', `go on (${next.goOn})`);
    }
    await this.#close(files);
    while ((await files.row())?.status !== 'destroyed') if (!(await pause(LOOK_MS, signal))) return;
    this.ended = true;
    this.say(
      `ended after ${String(await this.#turns(files))} turns, asked to go on ${String(this.goOns.length)} times`,
    );
  }

  async #begin(): Promise<LifeFiles> {
    const { alice, bot } = this.stack.gitea;
    const title = `Life ${String(this.plan.life)}`;
    // The script names the issue's number, so the trigger comes after the text.
    const number = await alice.createIssue({ title });
    await alice.editIssue(number, { body: issueBody(this.plan, number) });
    await alice.assign(number, bot.login);
    await alice.addLabel(number, 'bot-bottle:demo');
    this.subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number };
    this.say(`began as #${String(number)}`);
    return new LifeFiles(new StackFiles(this.stack.home), this.subject);
  }

  async #next(files: LifeFiles): Promise<Next> {
    const row = await files.row();
    if (row?.status === 'destroyed') {
      this.trouble.push('it ended by itself');
      return 'end';
    }
    if (row?.status !== 'frozen' || row.updatedAt > Date.now() - QUIET_MS) return 'wait';
    const waiting = await this.#untold(files, row.slug);
    if (waiting.some(({ at }) => at > Date.now() - LOST_MS)) return 'wait';
    const reason = await this.#reasonToGoOn(files, row.reason ?? 'no reason');
    if (reason === null) return 'end';
    if (this.goOns.length < MAX_GO_ONS) return { goOn: reason };
    this.trouble.push(`asked to go on ${String(MAX_GO_ONS)} times, and now: ${reason}`);
    return 'end';
  }

  async #reasonToGoOn(files: LifeFiles, reason: string): Promise<string | null> {
    if (reason !== 'done') return reason;
    if ((await pullsOf(this.stack, this.#issue)).length === 0) return 'no pull request';
    return (await this.#open()).length > 0 ? 'no answer' : null;
  }

  async #untold(files: LifeFiles, slug: string): Promise<Written[]> {
    const told = await files.tellings(slug);
    return this.written.filter(({ comment }) => {
      const word = askWord(this.plan.life, comment);
      return !told.some(({ news }) => hasWord(news, word));
    });
  }

  /** Comments without an answer. */
  async #open(): Promise<number[]> {
    const posts = (await postsOf(this.stack, this.#issue)).join('\n');
    const numbers = this.written.map(({ comment }) => comment);
    return numbers.filter((comment) => !hasWord(posts, answerWord(this.plan.life, comment)));
  }

  async #comment(files: LifeFiles, on: 'issue' | 'pull', text: string): Promise<void> {
    const comment = this.written.length + 1;
    const [pull] = on === 'pull' ? await pullsOf(this.stack, this.#issue) : [];
    const body = commentBody(this.plan, this.#issue, comment, text, await this.#open());
    await this.stack.gitea.alice.comment(pull ?? this.#issue, body);
    this.written.push({ comment, at: Date.now() });
    const where = pull === undefined ? `#${String(this.#issue)}` : `pull request #${String(pull)}`;
    this.say(`comment ${String(comment)} on ${where}: ${text}, at turn ${String(await this.#turns(files))}`);
  }

  async #close(files: LifeFiles): Promise<void> {
    if ((await files.row())?.status === 'destroyed') return;
    const { alice } = this.stack.gitea;
    const [pull] = await pullsOf(this.stack, this.#issue);
    if (pull === undefined) await alice.closeIssue(this.#issue);
    else if (this.plan.end === 'merge') await this.#merge(pull);
    else await alice.closePr(pull);
    this.say(pull === undefined ? 'issue closed' : `pull request #${String(pull)}: ${this.plan.end}`);
  }

  /** Gitea refuses one of two that are merged at the same time: 409, "cannot lock ref"; 405 while it checks for conflicts. */
  async #merge(pull: number): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.stack.gitea.alice.mergePr(pull);
        return;
      } catch (error) {
        if (!/: 40[59]/.test(String(error)) || tries >= MERGE_TRIES) throw error;
        await delay(LOOK_MS);
      }
    }
  }

  async #turns(files: LifeFiles): Promise<number> {
    const slug = (await files.row())?.slug;
    return slug === undefined ? 0 : files.turns(slug);
  }

  get #issue(): number {
    if (this.subject === undefined) throw new Error('it has not begun');
    return this.subject.number;
  }
}

/** @returns false when the signal aborts first */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
