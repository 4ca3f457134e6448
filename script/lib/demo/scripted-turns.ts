/** The story's turns with the scripted agent, which says itself what it does. */
import type { RunView } from '../../../src/workflows/messages.js';
import type { PullView } from './forge-view.js';
import type { RunWatch } from './run-watch.js';
import { FIRST_ISSUE, type Stage, type Turns } from './stage.js';
import { AGENT_LABEL, COMMENT, commentBody, FILE, FINAL_CONTENT, ISSUE_TITLE, issueBody } from './texts.js';
import { TurnWatch } from './turn-steps.js';
import { DemoError } from './wait.js';

export class ScriptedTurns implements Turns {
  readonly label = AGENT_LABEL;
  readonly issueTitle = ISSUE_TITLE;

  constructor(private readonly stage: Stage) {}

  issueBody(issue: number): string {
    return issueBody(issue);
  }

  async first(watch: RunWatch): Promise<PullView> {
    const { steps } = this.stage.parts;
    const slug = await this.stage.slug(watch);
    const turn = this.turn(slug, 1, ['read_issue', 'commit', 'open_pr', 'signal_done']);
    const { at, sessionId } = await turn.started();
    this.stage.noteSession(sessionId);
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

  async second(watch: RunWatch, pr: PullView): Promise<void> {
    const { alice, forge, parts, told } = this.stage;
    const { steps } = parts;
    await alice.comment(pr.number, commentBody(pr.number));
    steps.done('commented', Date.now(), 'alice', `comments on #${String(pr.number)}: ${COMMENT}`);
    const turn = this.turn(told.slug ?? '', 2, []);
    const { at, sessionId } = await turn.started();
    this.stage.noteSession(sessionId);
    steps.done('rehydrated', at, 'agent', `wakes in the same session ${sessionId}`);
    // The forge lists a commit a moment after its branch has it.
    const commit = await this.stage.until('a new commit on the pull request', async () => {
      await turn.rest();
      return forge.newCommit(pr);
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

  async checkMain(): Promise<string> {
    const { content, size } = await this.stage.forge.fileOnMain(FILE);
    if (content !== FINAL_CONTENT)
      throw new DemoError(`${FILE} on main is not what the agent wrote: ${content}`);
    return `main has the agent's ${FILE}, ${String(size)} bytes`;
  }

  private async openedPr(turn: TurnWatch): Promise<PullView> {
    const { forge, parts, told } = this.stage;
    const { at, result } = await turn.result('open_pr');
    const { number, commit } = result;
    if (typeof number !== 'number') throw new DemoError(`no pull request: ${JSON.stringify(result)}`);
    const pr = await forge.pull(number);
    told.prUrl = pr.url;
    if (pr.headSha !== commit)
      throw new DemoError(`pull request #${String(number)} is at ${pr.headSha}, not ${String(commit)}`);
    const where = `at ${pr.headSha.slice(0, 10)}`;
    parts.steps.done('pr_opened', at, 'forge', `has pull request #${String(number)} ${where}: ${pr.title}`);
    return pr;
  }

  private async frozen(watch: RunWatch, turn: TurnWatch, number: number, step: string): Promise<RunView> {
    const view = await this.stage.until(`turn ${String(number)} to be frozen`, () =>
      watch.view?.phase === 'frozen' && watch.view.turn === number ? watch.view : undefined,
    );
    await turn.rest();
    await this.stage.frozen(watch, view, step);
    return view;
  }

  private turn(slug: string, number: number, told: readonly string[]): TurnWatch {
    const { facts, feed, wait } = this.stage.parts;
    return new TurnWatch(facts.home, slug, number, feed, wait, told);
  }
}
