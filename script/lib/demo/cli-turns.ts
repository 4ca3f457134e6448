/** The story's turns with a real CLI and a real model: how they get there is theirs, what must be there at the end is not. */
import type { AgentProvider } from '../../../src/domain/agent/agent-provider.js';
import type { RunView } from '../../../src/workflows/messages.js';
import { CliOutput } from './cli-output.js';
import type { PullView } from './forge-view.js';
import type { RunWatch } from './run-watch.js';
import { frozenAs, type Stage, type Turns } from './stage.js';
import { FILE, ISSUE_TITLE, PLAIN_COMMENT, PLAIN_ISSUE } from './texts.js';
import { DemoError, until } from './wait.js';

/** A real model thinks for seconds before each of its steps. */
const TURN_MS = 20 * 60_000;
const LOOK_MS = 250;

export class CliTurns implements Turns {
  readonly label: string;
  readonly issueTitle = ISSUE_TITLE;
  private output: CliOutput | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly provider: AgentProvider,
  ) {
    this.label = `bot-bottle:${provider.name}`;
  }

  issueBody(): string {
    return PLAIN_ISSUE;
  }

  async first(watch: RunWatch): Promise<PullView> {
    const { facts, feed, steps } = this.stage.parts;
    const { name, version } = this.provider;
    const slug = await this.stage.slug(watch);
    this.output = new CliOutput(facts.home, slug, this.provider, feed);
    const { at, id } = await this.session(watch, 1);
    steps.done('launched', at, 'agent', `${name} ${String(version)} starts in bottle ${slug}, session ${id}`);
    const pr = await this.openedPr(watch);
    await this.frozen(watch, 1, 'frozen');
    return pr;
  }

  async second(watch: RunWatch, pr: PullView): Promise<void> {
    const { alice, forge, parts, told } = this.stage;
    const { steps } = parts;
    const turn = (watch.view?.turn ?? 1) + 1;
    await alice.comment(pr.number, PLAIN_COMMENT);
    steps.done('commented', Date.now(), 'alice', `comments on #${String(pr.number)}: ${PLAIN_COMMENT}`);
    const { at, id } = await this.session(watch, turn);
    steps.done('rehydrated', at, 'agent', `wakes in the same session ${id}`);
    await this.during(
      'a new commit on the pull request',
      watch,
      async () => (await forge.newCommit(pr)) ?? restAfter(watch, turn),
    );
    const commit = await this.stage.until('a new commit on the pull request', () => forge.newCommit(pr));
    const text = `has a new commit on #${String(pr.number)}, ${commit.sha.slice(0, 10)}: ${commit.title}`;
    steps.done('pr_updated', Date.now(), 'forge', text);
    const view = await this.frozen(watch, turn, 'frozen_again');
    // Before the merge: afterwards the forge may say that nothing differs any more.
    const files = await forge.filesOf(pr.number);
    if (!files.includes(FILE))
      throw new DemoError(`the pull request does not change ${FILE}, but ${files.join(', ')}`);
    if (view.sessionId !== told.sessions[0])
      throw new DemoError(`the workflow has session ${String(view.sessionId)}, the agent ${id}`);
  }

  async checkMain(): Promise<string> {
    const { size } = await this.stage.forge.fileOnMain(FILE);
    return `main has the agent's ${FILE}, ${String(size)} bytes`;
  }

  private async session(
    watch: RunWatch,
    turn: number,
  ): Promise<{ readonly at: number; readonly id: string }> {
    const seen = await this.during(
      `${this.provider.name} to say its session in turn ${String(turn)}`,
      watch,
      () => this.output?.sessions.get(turn),
    );
    this.stage.noteSession(seen.id);
    return seen;
  }

  private async openedPr(watch: RunWatch): Promise<PullView> {
    const { forge, parts, told } = this.stage;
    const number = await this.during('a pull request', watch, () => watch.view?.prs[0] ?? noneAfter(watch));
    if (number === 'none') throw new DemoError('the agent ended its turn without a pull request');
    const pr = await forge.pull(number);
    told.prUrl = pr.url;
    const commits = await forge.commitsOf(number);
    if (commits.length === 0) throw new DemoError(`pull request #${String(number)} has no commit`);
    if (pr.author !== parts.facts.botLogin)
      throw new DemoError(`pull request #${String(number)} is by ${pr.author}, not by the bot`);
    const what = `with ${String(commits.length)} commit${commits.length === 1 ? '' : 's'} by ${pr.author}`;
    const text = `has pull request #${String(number)} at ${pr.headSha.slice(0, 10)}, ${what}: ${pr.title}`;
    parts.steps.done('pr_opened', Date.now(), 'forge', text);
    return pr;
  }

  /** A turn that ends early is nudged once, so the turn that ends well may be a later one. */
  private async frozen(watch: RunWatch, from: number, step: string): Promise<RunView> {
    const view = await this.during('the turn to end', watch, () => restAfter(watch, from));
    await this.output?.refresh(view.turn);
    await this.stage.frozen(watch, view, step);
    return view;
  }

  /** Tells what the logs have while it waits. Errors: `DemoError` at once when the run froze for something else. */
  private during<T>(
    what: string,
    watch: RunWatch,
    probe: () => T | undefined | Promise<T | undefined>,
  ): Promise<T> {
    const look = async (): Promise<T | undefined> => {
      await this.output?.refresh(watch.view?.turn ?? 1);
      // Looked at once: the probe must not see a later state than this check.
      const { view } = watch;
      if (view?.phase === 'frozen' && view.reason !== 'done') throw await this.whyFrozen(view);
      return probe();
    };
    return until(what, look, { ...this.stage.parts.wait, timeoutMs: TURN_MS, everyMs: LOOK_MS });
  }

  private async whyFrozen(view: RunView): Promise<DemoError> {
    await this.output?.refresh(view.turn);
    const said = this.output?.lastError ?? '';
    return new DemoError(said === '' ? frozenAs(view) : `${frozenAs(view)}; the agent said: ${said}`);
  }
}

/** Once that turn, or one after it, is over. */
function restAfter({ view }: RunWatch, turn: number): RunView | undefined {
  return view?.phase === 'frozen' && view.turn >= turn ? view : undefined;
}

function noneAfter(watch: RunWatch): 'none' | undefined {
  return restAfter(watch, 1) === undefined ? undefined : 'none';
}
