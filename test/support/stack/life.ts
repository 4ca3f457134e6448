/** One issue's life as a test drives it: trigger, wait, comment, look. */
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import Docker from 'dockerode';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { containerName } from '../../../src/adapters/docker/names-and-labels.js';
import { localSubject, workflowIdOf, type SubjectRef } from '../../../src/domain/forge/issue.js';
import { latestRejections } from '../../../src/adapters/sqlite/inbox/rejection-log.js';
import type { ForgeReaction } from '../../../src/domain/forge/forge.js';
import type { ContainerRole, ContainerState } from '../../../src/domain/bottle/bottle-runtime.js';
import type { FrozenReason } from '../../../src/domain/run/turn.js';
import type { Person } from '../gitea/person.js';
import { timelineQuery, type RunView } from '../../../src/workflows/messages.js';
import { StackFiles } from './stack-files.js';
import { waitUntil, type Stack } from './stack.js';

const runtime = dockerBottleRuntime();

/** A turn that is stopped, settled and published takes seconds; a worker that was killed is missed after ten. */
const PATIENCE_MS = 90_000;

export class Life {
  readonly files: StackFiles;

  private constructor(
    readonly stack: Stack,
    readonly client: Client,
    readonly subject: SubjectRef,
  ) {
    this.files = new StackFiles(stack.home);
  }

  /** Opens an issue with the trigger; the body may hold a script. @param labels the trigger's, and perhaps a bottle's */
  static async trigger(
    stack: Stack,
    client: Client,
    title: string,
    body: string,
    labels: readonly string[] = ['bot-bottle:demo'],
  ): Promise<Life> {
    const { alice, bot } = stack.gitea;
    const number = await alice.createIssue({ title, body, labels, assignees: [bot.login] });
    return new Life(stack, client, { forge: 'gitea', owner: 'alice', repo: 'demo', number });
  }

  /** The life of an issue or pull request that is there, in a repository `owner/name`. */
  static of(stack: Stack, client: Client, number: number, repository = 'alice/demo'): Life {
    const [owner = '', repo = ''] = repository.split('/');
    return new Life(stack, client, { forge: 'gitea', owner, repo, number });
  }

  /** The life of a run without an issue. */
  static local(stack: Stack, client: Client, slug: string): Life {
    return new Life(stack, client, localSubject(slug));
  }

  get issue(): number {
    return this.subject.number;
  }

  /** Of every run that the issue ever had. */
  async slugs(): Promise<string[]> {
    return (await this.files.slugs()).filter((slug) => slug.includes(`-${String(this.issue)}-`));
  }

  /** Alice, in its repository. */
  private get alice(): Person {
    const { owner, repo } = this.subject;
    return this.stack.gitea.alice.on(`${owner}/${repo}`);
  }

  until(
    what: string,
    condition: (view: RunView) => boolean,
    isLikely?: () => Promise<boolean>,
  ): Promise<RunView> {
    const { client, subject, stack } = this;
    return stack.until(
      client,
      subject,
      `${what} of #${String(this.issue)}`,
      condition,
      PATIENCE_MS,
      isLikely,
    );
  }

  running(turn = 1): Promise<RunView & { readonly slug: string }> {
    return this.known(
      `turn ${String(turn)} running`,
      (view) => view.phase === 'running' && view.turn === turn,
    );
  }

  /** Its agent works, and has got to its `WAIT_FOR_TEST`. */
  async waiting(turn = 1): Promise<RunView & { readonly slug: string }> {
    const view = await this.running(turn);
    await this.waits(view.slug, turn);
    return view;
  }

  /** The workflow says so, and the rows that follow are written. */
  async frozen(turn: number, reason: FrozenReason): Promise<RunView & { readonly slug: string }> {
    // By the workflow, not by the issue: the repository may have another name by now.
    const workflowId = workflowIdOf(this.subject);
    const written = async (slug?: string): Promise<boolean> =>
      (await this.files.stateRows()).some(
        (row) =>
          row.workflowId === workflowId &&
          row.slug === (slug ?? row.slug) &&
          row.status === 'frozen' &&
          row.reason === reason,
      );
    const name = `turn ${String(turn)} frozen as ${reason}`;
    const isReached = (one: RunView): boolean =>
      one.phase === 'frozen' && one.turn === turn && one.reason === reason;
    const view = await this.known(name, isReached, written);
    await waitUntil(`the rows of ${name}`, () => written(view.slug), PATIENCE_MS);
    return view;
  }

  /** Why its trigger was refused, once it was. */
  async rejected(): Promise<string> {
    const { owner, repo } = this.subject;
    const subject = `${owner}/${repo}#${String(this.issue)}`;
    let reason: string | undefined;
    const isKnown = (): boolean => {
      const rows = latestRejections(join(this.stack.home, 'rejections.db'), 100);
      reason = rows.find((row) => row.subject === subject)?.reason;
      return reason !== undefined;
    };
    await waitUntil(`the refusal of ${subject}`, isKnown, PATIENCE_MS);
    return reason ?? '';
  }

  /** Waits until the bot's reactions on the issue have this one. */
  async reactedWith(reaction: ForgeReaction): Promise<void> {
    const found = async (): Promise<boolean> => (await this.reactions()).includes(reaction);
    await waitUntil(`the reaction ${reaction} on #${String(this.issue)}`, found, PATIENCE_MS);
  }

  async reactions(): Promise<unknown[]> {
    const { owner, repo } = this.subject;
    const path = `/repos/${owner}/${repo}/issues/${String(this.issue)}/reactions`;
    return (await this.stack.gitea.alice.api.list(path)).map(({ content }) => content);
  }

  /** Names of the branches that runs of the issue have published. */
  async branches(): Promise<string[]> {
    const { owner, repo } = this.subject;
    const all = await this.stack.gitea.alice.api.list(`/repos/${owner}/${repo}/branches?limit=50`);
    const own = `bot-bottle/${String(this.issue)}-`;
    return all.map(({ name }) => String(name)).filter((name) => name.startsWith(own));
  }

  /** What happened to the run, as people read it. */
  async timeline(): Promise<string[]> {
    const handle = this.client.workflow.getHandle(workflowIdOf(this.subject));
    return (await handle.query(timelineQuery)).map(({ what }) => what);
  }

  /** Waits until the agent itself has got to a line of its output. */
  async agentSaid(slug: string, turn: number, text: string): Promise<void> {
    const said = async (): Promise<boolean> => (await this.files.agentLog(slug, turn)).includes(text);
    await waitUntil(`"${text}" in the log of turn ${String(turn)}`, said, PATIENCE_MS);
  }

  /** Waits until the agent has got to its `WAIT_FOR_TEST`. */
  async waits(slug: string, turn = 1): Promise<void> {
    await this.agentSaid(slug, turn, '"command":"until [ -e');
  }

  async container(slug: string, role: ContainerRole): Promise<ContainerState> {
    const state = await runtime.inspect(slug, role);
    if (state === undefined) throw new Error(`${slug} has no ${role} container`);
    return state;
  }

  /** SIGKILL to the container's first process, as the kernel would. */
  async killContainer(slug: string, role: ContainerRole): Promise<void> {
    await new Docker().getContainer(containerName(slug, role)).kill({ signal: 'SIGKILL' });
  }

  /** As after an engine that came back without it; its volumes stay. */
  async removeContainer(slug: string, role: ContainerRole): Promise<void> {
    await new Docker().getContainer(containerName(slug, role)).remove({ force: true });
  }

  comment(text: string): Promise<number> {
    return this.alice.comment(this.issue, text);
  }

  /** Closes the issue or, where there is one, the pull request, and waits for the end of the life. */
  async close(): Promise<void> {
    const { alice } = this;
    const view = await this.stack.view(this.client, this.subject);
    await Promise.all((view?.prs ?? []).map((number) => alice.closePr(number)));
    if (view?.prs.length === 0) await alice.closeIssue(this.issue);
    await this.ended();
  }

  async ended(): Promise<void> {
    await Promise.race([
      this.client.workflow.getHandle(workflowIdOf(this.subject)).result(),
      new Promise((_resolve, reject) => {
        setTimeout(() => {
          reject(
            new Error(`the life of #${String(this.issue)} did not end:\n${this.stack.output.slice(-4000)}`),
          );
        }, PATIENCE_MS).unref();
      }),
    ]);
  }

  private async known(
    what: string,
    condition: (view: RunView) => boolean,
    isLikely?: () => Promise<boolean>,
  ): Promise<RunView & { readonly slug: string }> {
    const view = await this.until(what, condition, isLikely);
    if (view.slug === null) throw new Error(`${what}, but no slug`);
    return { ...view, slug: view.slug };
  }
}
