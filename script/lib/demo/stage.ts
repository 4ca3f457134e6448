/** What every part of the story acts and looks with. */
import { Person } from '../../../test/support/gitea/person.js';
import type { Client } from '@temporalio/client';
import type { BottleRuntime } from '../../../src/domain/bottle/bottle-runtime.js';
import type { SubjectRef } from '../../../src/domain/forge/issue.js';
import type { RunView } from '../../../src/workflows/messages.js';
import type { Feed } from './feed.js';
import { ForgeView, type PullView } from './forge-view.js';
import type { Facts } from './messages.js';
import type { ModelSpending } from './model-spending.js';
import type { RunWatch, TimelineEntry } from './run-watch.js';
import type { Steps } from './steps.js';
import { DemoError, until, type WaitOptions } from './wait.js';

export interface StoryParts {
  readonly facts: Facts;
  readonly client: Client;
  readonly runtime: BottleRuntime;
  readonly feed: Feed;
  readonly steps: Steps;
  readonly upLog: string;
  readonly wait: WaitOptions;
}

/** Filled as the story goes, so that a story that breaks off leaves what it knows. */
export interface Told {
  issueUrl: string | null;
  prUrl: string | null;
  slug: string | null;
  workflowId: string | null;
  /** Session ids, one a turn, as the agent itself said them. */
  sessions: string[];
  /** Events of the workflow's history. */
  events: number | null;
  timeline: readonly TimelineEntry[];
  /** `null` for an agent without a model. */
  spending: ModelSpending | null;
}

export function nothingTold(): Told {
  return {
    issueUrl: null,
    prUrl: null,
    slug: null,
    workflowId: null,
    sessions: [],
    events: null,
    timeline: [],
    spending: null,
  };
}

export const FIRST_ISSUE = 1;

/** The two turns of the story, as one kind of agent plays them. */
export interface Turns {
  readonly label: string;
  readonly issueTitle: string;
  issueBody(issue: number): string;
  /** From the trigger to the freeze. */
  first(watch: RunWatch): Promise<PullView>;
  /** From alice's comment to the next freeze, in the same session. */
  second(watch: RunWatch, pr: PullView): Promise<void>;
  /** After the merge. Answers what main has now, for the story. Errors: `DemoError` when it is not what it should be. */
  checkMain(): Promise<string>;
}

export class Stage {
  readonly alice: Person;
  readonly forge: ForgeView;
  readonly subject: SubjectRef;

  constructor(
    readonly parts: StoryParts,
    readonly told: Told,
  ) {
    const { giteaUrl, repo, alice } = parts.facts;
    this.alice = new Person(giteaUrl, alice.login, alice.password, alice.token, repo);
    this.forge = new ForgeView(this.alice.api, repo);
    const [owner = '', name = ''] = repo.split('/');
    this.subject = { forge: 'gitea', owner, repo: name, number: FIRST_ISSUE };
  }

  until<T>(what: string, probe: () => T | undefined | Promise<T | undefined>): Promise<T> {
    return until(what, probe, this.parts.wait);
  }

  /** The slug of the run that the trigger began. */
  async slug(watch: RunWatch): Promise<string> {
    const slug = await this.until('a workflow with a bottle', () => watch.view?.slug ?? undefined);
    this.told.slug = slug;
    return slug;
  }

  /** Notes the session of a turn. Errors: `DemoError` when it is another one than that of the turn before. */
  noteSession(sessionId: string): void {
    const { sessions } = this.told;
    sessions.push(sessionId);
    const [first] = sessions;
    if (sessionId !== first)
      throw new DemoError(
        `turn ${String(sessions.length)} is in session ${sessionId}, turn 1 was in ${String(first)}`,
      );
  }

  /** The workflow says that the run is frozen, and the engine agrees: nothing runs, the session's volume is kept. */
  async frozen(watch: RunWatch, view: RunView, step: string): Promise<void> {
    if (view.reason !== 'done') throw new DemoError(frozenAs(view));
    const owned = await this.parts.runtime.list(view.slug ?? '');
    const runs = owned.filter(({ running }) => running);
    if (runs.length > 0) throw new DemoError(`frozen, but ${runs.map(({ name }) => name).join(', ')} runs`);
    const volumes = owned.filter(({ type }) => type === 'volume').length;
    const { at } = await this.until('the end of the turn in the timeline', () =>
      watch.entry(`turn ${String(view.turn)} ended`),
    );
    const text = `the run is frozen: no container runs, ${String(volumes)} volumes keep it`;
    this.parts.steps.done(step, at, 'engine', text);
  }
}

export function frozenAs({ reason, detail }: RunView): string {
  return `frozen as ${String(reason)}: ${String(detail)}`;
}
