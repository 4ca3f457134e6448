/**
 * The main job once: alice's issue becomes a pull request, her comment wakes the same session, her merge ends the run.
 * What is told here was seen: in the forge's API, the workflow's queries, the engine, the agent's and sidecar's logs.
 */
import type { Client } from '@temporalio/client';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import type { BottleRuntime } from '../../../src/domain/bottle-runtime.js';
import { workflowIdOf, type SubjectRef } from '../../../src/domain/issue.js';
import type { RunView } from '../../../src/workflows/messages.js';
import { Person } from '../../../test/support/gitea/person.js';
import { join } from 'node:path';
import type { Feed } from './feed.js';
import { ForgeView, type PullView } from './forge-view.js';
import type { Facts } from './messages.js';
import { RunWatch, type TimelineEntry } from './run-watch.js';
import type { Steps } from './steps.js';
import { AGENT_LABEL, COMMENT, commentBody, FILE, FINAL_CONTENT, ISSUE_TITLE, issueBody } from './texts.js';
import { TurnWatch } from './turn-steps.js';
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
  };
}

const FIRST_ISSUE = 1;

export class Story {
  private readonly alice: Person;
  private readonly forge: ForgeView;
  private readonly subject: SubjectRef;

  constructor(
    private readonly parts: StoryParts,
    private readonly told: Told,
  ) {
    const { giteaUrl, repo, alice } = parts.facts;
    this.alice = new Person(giteaUrl, alice.login, alice.password, alice.token, repo);
    this.forge = new ForgeView(this.alice.api, repo);
    const [owner = '', name = ''] = repo.split('/');
    this.subject = { forge: 'gitea', owner, repo: name, number: FIRST_ISSUE };
  }

  async tell(): Promise<void> {
    const { client, feed, upLog } = this.parts;
    const workflowId = workflowIdOf(this.subject);
    const watch = new RunWatch(client, workflowId, feed, upLog);
    try {
      await this.trigger(watch);
      const pr = await this.firstTurn(watch);
      await this.secondTurn(watch, pr);
      await this.end(watch, pr.number);
    } finally {
      await watch.stop();
      this.told.timeline = watch.timeline;
    }
  }

  private async trigger(watch: RunWatch): Promise<void> {
    const { steps, facts } = this.parts;
    const number = await this.alice.createIssue({ title: ISSUE_TITLE, body: issueBody(FIRST_ISSUE) });
    if (number !== FIRST_ISSUE)
      throw new DemoError(`the new forge's first issue has number ${String(number)}`);
    this.told.issueUrl = (await this.forge.issue(number)).url;
    steps.done('issue_created', Date.now(), 'alice', `opens issue #${String(number)}: ${ISSUE_TITLE}`);
    await this.startsNothing(watch, 'issues');
    await this.alice.assign(number, facts.botLogin);
    steps.done('assigned', Date.now(), 'alice', `assigns it to ${facts.botLogin}`);
    await this.startsNothing(watch, 'issue_assign');
    await this.alice.addLabel(number, AGENT_LABEL);
    steps.done('labelled', Date.now(), 'alice', `labels it ${AGENT_LABEL}: that completes the trigger`);
    this.told.workflowId = workflowIdOf(this.subject);
  }

  /** Before all of the trigger is there, a delivery is looked at and comes to nothing. */
  private async startsNothing(watch: RunWatch, event: string): Promise<void> {
    const { outcome } = await this.until(`the webhook to have looked at the delivery ${event}`, () =>
      watch.dispatches.find((dispatch) => dispatch.event === event && dispatch.outcome !== 'retry'),
    );
    if (outcome === 'started') throw new DemoError(`${event} alone started a run`);
  }

  private async firstTurn(watch: RunWatch): Promise<PullView> {
    const { steps } = this.parts;
    const slug = await this.until('a workflow with a bottle', () => watch.view?.slug ?? undefined);
    this.told.slug = slug;
    const turn = this.turn(slug, 1, ['read_issue', 'commit', 'open_pr', 'signal_done']);
    const { at, sessionId } = await turn.started();
    this.told.sessions.push(sessionId);
    steps.done('launched', at, 'agent', `starts in bottle ${slug}, session ${sessionId}`);
    const read = await turn.result('read_issue');
    await turn.operation('read_issue');
    const title = String(read.result['title']);
    steps.done(
      'issue_read',
      read.at,
      'agent',
      `reads issue #${String(FIRST_ISSUE)} through its sidecar: ${title}`,
    );
    const commit = await turn.result('commit');
    steps.done('committed', commit.at, 'agent', `commits: ${commit.said}`);
    const pr = await this.openedPr(turn);
    const done = await turn.result('signal_done');
    steps.done('done_signalled', done.at, 'agent', 'signals that it is done');
    await this.frozen(watch, turn, 1, 'frozen');
    return pr;
  }

  private async openedPr(turn: TurnWatch): Promise<PullView> {
    const { at, result } = await turn.result('open_pr');
    const { number, commit } = result;
    if (typeof number !== 'number') throw new DemoError(`no pull request: ${JSON.stringify(result)}`);
    const pr = await this.forge.pull(number);
    this.told.prUrl = pr.url;
    if (pr.headSha !== commit)
      throw new DemoError(`pull request #${String(number)} is at ${pr.headSha}, not ${String(commit)}`);
    const where = `at ${pr.headSha.slice(0, 10)}`;
    this.parts.steps.done(
      'pr_opened',
      at,
      'forge',
      `has pull request #${String(number)} ${where}: ${pr.title}`,
    );
    return pr;
  }

  private async secondTurn(watch: RunWatch, pr: PullView): Promise<void> {
    const { steps } = this.parts;
    await this.alice.comment(pr.number, commentBody(pr.number));
    steps.done('commented', Date.now(), 'alice', `comments on #${String(pr.number)}: ${COMMENT}`);
    const turn = this.turn(this.told.slug ?? '', 2, []);
    const { at, sessionId } = await turn.started();
    this.told.sessions.push(sessionId);
    const [first] = this.told.sessions;
    if (sessionId !== first)
      throw new DemoError(`turn 2 is in session ${sessionId}, turn 1 was in ${String(first)}`);
    steps.done('rehydrated', at, 'agent', `wakes in the same session ${sessionId}`);
    // The forge lists a commit a moment after its branch has it.
    const commit = await this.until('a new commit on the pull request', async () => {
      await turn.rest();
      const { headSha } = await this.forge.pull(pr.number);
      if (headSha === pr.headSha) return undefined;
      return (await this.forge.commitsOf(pr.number)).find(({ sha }) => sha === headSha);
    });
    const seenAt = Date.now();
    const text = `has a new commit on #${String(pr.number)}, ${commit.sha.slice(0, 10)}: ${commit.title}`;
    steps.done('pr_updated', seenAt, 'forge', text);
    const remembered = await turn.sessionTurns();
    if (remembered !== 2) throw new DemoError(`the session remembers ${String(remembered)} turns, not 2`);
    const view = await this.frozen(watch, turn, 2, 'frozen_again');
    if (view.sessionId !== sessionId)
      throw new DemoError(`the workflow has session ${String(view.sessionId)}, the agent ${sessionId}`);
  }

  /** The workflow says so, and the engine agrees: nothing runs, the session's volume is kept. */
  private async frozen(watch: RunWatch, turn: TurnWatch, number: number, step: string): Promise<RunView> {
    const view = await this.until(`turn ${String(number)} to be frozen`, () =>
      watch.view?.phase === 'frozen' && watch.view.turn === number ? watch.view : undefined,
    );
    await turn.rest();
    if (view.reason !== 'done')
      throw new DemoError(`frozen as ${String(view.reason)}: ${String(view.detail)}`);
    const owned = await this.parts.runtime.list(view.slug ?? '');
    const runs = owned.filter(({ running }) => running);
    if (runs.length > 0) throw new DemoError(`frozen, but ${runs.map(({ name }) => name).join(', ')} runs`);
    const volumes = owned.filter(({ type }) => type === 'volume').length;
    const { at } = await this.until('the end of the turn in the timeline', () =>
      watch.entry(`turn ${String(number)} ended`),
    );
    const text = `the run is frozen: no container runs, ${String(volumes)} volumes keep it`;
    this.parts.steps.done(step, at, 'engine', text);
    return view;
  }

  private async end(watch: RunWatch, pr: number): Promise<void> {
    const { client, runtime, steps, facts, wait } = this.parts;
    const slug = this.told.slug ?? '';
    await this.alice.mergePr(pr);
    if (!(await this.forge.pull(pr)).merged) throw new DemoError(`pull request #${String(pr)} is not merged`);
    steps.done('merged', Date.now(), 'alice', `merges #${String(pr)}`);
    const handle = client.workflow.getHandle(workflowIdOf(this.subject));
    const description = await this.until('the workflow to complete', async () => {
      const now = await handle.describe();
      return now.status.name === 'RUNNING' ? undefined : now;
    });
    if (description.status.name !== 'COMPLETED')
      throw new DemoError(`the workflow is ${description.status.name}`);
    this.told.events = description.historyLength;
    const entry = await until('the end in the timeline', () => watch.entry('destroyed'), wait);
    const left = await runtime.list(slug);
    if (left.length > 0)
      throw new DemoError(`destroyed, but there is ${left.map(({ name }) => name).join(', ')}`);
    this.checkRow(facts.home);
    steps.done('destroyed', entry.at, 'engine', `nothing of ${slug} is left: no container, no volume`);
    await this.checkForge();
  }

  private checkRow(home: string): void {
    const database = openDatabaseReadOnly(join(home, 'bot-bottle.db'));
    try {
      const status = database.forgeState.get(this.subject)?.status;
      if (status !== 'destroyed') throw new DemoError(`the state row says ${String(status)}, not destroyed`);
    } finally {
      database.close();
    }
  }

  private async checkForge(): Promise<void> {
    const { feed } = this.parts;
    const { state } = await this.forge.issue(FIRST_ISSUE);
    if (state !== 'closed') throw new DemoError(`issue #${String(FIRST_ISSUE)} is ${state}`);
    const { content, size } = await this.forge.fileOnMain(FILE);
    if (content !== FINAL_CONTENT)
      throw new DemoError(`${FILE} on main is not what the agent wrote: ${content}`);
    const text = `issue #${String(FIRST_ISSUE)} is closed; main has the agent's ${FILE}, ${String(size)} bytes`;
    feed.add({ at: Date.now(), source: 'forge', text, step: false });
  }

  private turn(slug: string, number: number, told: readonly string[]): TurnWatch {
    const { facts, feed, wait } = this.parts;
    return new TurnWatch(facts.home, slug, number, feed, wait, told);
  }

  private until<T>(what: string, probe: () => T | undefined | Promise<T | undefined>): Promise<T> {
    return until(what, probe, this.parts.wait);
  }
}
