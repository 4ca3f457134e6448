/**
 * The main job once: alice's issue becomes a pull request, her comment wakes the same session, her merge ends the run.
 * What is told here was seen: in the forge's API, the workflow's queries, the engine, the agent's and sidecar's logs.
 */
import { join } from 'node:path';
import { openDatabaseReadOnly } from '../../../src/adapters/sqlite/open-database-read-only.js';
import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import { spendingOf } from './model-spending.js';
import { RunWatch } from './run-watch.js';
import { FIRST_ISSUE, type Stage, type Turns } from './stage.js';
import { DemoError } from './wait.js';

export class Story {
  constructor(
    private readonly stage: Stage,
    private readonly turns: Turns,
  ) {}

  async tell(): Promise<void> {
    const { parts, subject, told } = this.stage;
    const { client, facts, feed, upLog } = parts;
    const watch = new RunWatch(client, workflowIdOf(subject), feed, upLog);
    try {
      await this.trigger(watch);
      const pr = await this.turns.first(watch);
      await this.turns.second(watch, pr);
      await this.end(watch, pr.number);
    } finally {
      await watch.stop();
      told.timeline = watch.timeline;
      if (told.slug !== null) told.spending = await spendingOf(facts.home, told.slug);
    }
  }

  private async trigger(watch: RunWatch): Promise<void> {
    const { alice, forge, parts, subject, told } = this.stage;
    const { steps, facts } = parts;
    const { issueTitle, label } = this.turns;
    const body = this.turns.issueBody(FIRST_ISSUE);
    const number = await alice.createIssue({ title: issueTitle, body });
    if (number !== FIRST_ISSUE)
      throw new DemoError(`the new forge's first issue has number ${String(number)}`);
    told.issueUrl = (await forge.issue(number)).url;
    steps.done('issue_created', Date.now(), 'alice', `opens issue #${String(number)}: ${issueTitle}`);
    await this.startsNothing(watch, 'issues');
    await alice.assign(number, facts.botLogin);
    steps.done('assigned', Date.now(), 'alice', `assigns it to ${facts.botLogin}`);
    await this.startsNothing(watch, 'issue_assign');
    await alice.addLabel(number, label);
    steps.done('labelled', Date.now(), 'alice', `labels it ${label}: that completes the trigger`);
    told.workflowId = workflowIdOf(subject);
  }

  /** Before all of the trigger is there, a delivery is looked at and comes to nothing. */
  private async startsNothing(watch: RunWatch, event: string): Promise<void> {
    const { outcome } = await this.stage.until(`the webhook to have looked at the delivery ${event}`, () =>
      watch.dispatches.find((dispatch) => dispatch.event === event && dispatch.outcome !== 'retry'),
    );
    if (outcome === 'started') throw new DemoError(`${event} alone started a run`);
  }

  private async end(watch: RunWatch, pr: number): Promise<void> {
    const { alice, forge, parts, subject, told } = this.stage;
    const { client, runtime, steps, facts } = parts;
    const slug = told.slug ?? '';
    await alice.mergePr(pr);
    if (!(await forge.pull(pr)).merged) throw new DemoError(`pull request #${String(pr)} is not merged`);
    steps.done('merged', Date.now(), 'alice', `merges #${String(pr)}`);
    const handle = client.workflow.getHandle(workflowIdOf(subject));
    const description = await this.stage.until('the workflow to complete', async () => {
      const now = await handle.describe();
      return now.status.name === 'RUNNING' ? undefined : now;
    });
    if (description.status.name !== 'COMPLETED')
      throw new DemoError(`the workflow is ${description.status.name}`);
    told.events = description.historyLength;
    const entry = await this.stage.until('the end in the timeline', () => watch.entry('destroyed'));
    const left = await runtime.list(slug);
    if (left.length > 0)
      throw new DemoError(`destroyed, but there is ${left.map(({ name }) => name).join(', ')}`);
    await this.checkRow(facts.home);
    steps.done('destroyed', entry.at, 'engine', `nothing of ${slug} is left: no container, no volume`);
    await this.checkForge();
  }

  private async checkRow(home: string): Promise<void> {
    const database = openDatabaseReadOnly(join(home, 'bot-bottle.db'));
    try {
      const status = (await database.forgeState.get(this.stage.subject))?.status;
      if (status !== 'destroyed') throw new DemoError(`the state row says ${String(status)}, not destroyed`);
    } finally {
      await database.close();
    }
  }

  private async checkForge(): Promise<void> {
    const { forge, parts } = this.stage;
    const { state } = await forge.issue(FIRST_ISSUE);
    if (state !== 'closed') throw new DemoError(`issue #${String(FIRST_ISSUE)} is ${state}`);
    const text = `issue #${String(FIRST_ISSUE)} is closed; ${await this.turns.checkMain()}`;
    parts.feed.add({ at: Date.now(), source: 'forge', text, step: false });
  }
}
