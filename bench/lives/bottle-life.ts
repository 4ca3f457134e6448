/** One life of an issue on the real stack, driven through recorded deliveries so that each can be timed from its POST. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { workflowIdOf, type SubjectRef } from '../../src/domain/forge/issue.js';
import type { RunView } from '../../src/workflows/messages.js';
import type { Person } from '../../test/support/gitea/person.js';
import { StackFiles } from '../../test/support/stack/stack-files.js';
import type { Stack } from '../../test/support/stack/stack.js';
import type { DeliveryRelay } from './delivery-relay.js';
import type { HistoryEvent } from '../base/history-events.js';
import { until, within } from '../base/until.js';

const [OWNER, REPO] = ['alice', 'bench'];
const FROZEN_MS = 60_000;

/** Which agent lives, and which moment of a turn is the end of what is measured. */
export interface LifeKind {
  /** Name of its manifest. */
  readonly agent: string;
  readonly issueBody: string;
  readonly comment: string;
  /** What happens at that moment. */
  readonly moment: string;
  /** Epoch milliseconds of that moment. */
  momentOf(stack: Stack, turn: Omit<TimedTurn, 'endedAt'>): Promise<number>;
}

export interface TimedTurn {
  readonly slug: string;
  readonly turn: number;
  /** Epoch milliseconds of the delivery's POST. */
  readonly postedAt: number;
  /** Epoch milliseconds of the kind's moment. */
  readonly endedAt: number;
}

/** The scripted agent's, up to its first instruction. */
export const FIRST_INSTRUCTION: LifeKind = {
  agent: 'demo',
  issueBody: 'Please write notes.',
  comment: 'Please add one more line.',
  moment: 'first instruction',
  momentOf: async (stack, { slug, turn, postedAt }) => {
    const log = await readFile(join(stack.home, 'state', slug, 'turns', String(turn), 'agent.log'), 'utf8');
    // A log may begin with what an earlier turn of the same container wrote.
    const at = [...log.matchAll(/"first_instruction","at":(\d+)/g)]
      .map(([, time]) => Number(time))
      .find((time) => time >= postedAt);
    if (at === undefined) throw new Error(`no first instruction in the agent's log:\n${log}`);
    return at;
  },
};

export class BottleLife {
  private constructor(
    private readonly world: LifeWorld,
    private readonly subject: SubjectRef,
    private turn: number,
  ) {}

  /** A triggered issue is made, its deliveries held until the forge has sent them all; then they are posted in order. */
  static async launch(world: LifeWorld): Promise<{ readonly life: BottleLife; readonly timed: TimedTurn }> {
    const { stack, person, relay, kind } = world;
    relay.hold();
    const number = await person.createIssue({
      title: 'A benchmark',
      body: kind.issueBody,
      labels: [`bot-bottle:${kind.agent}`],
      assignees: [stack.gitea.bot.login],
    });
    await held(relay, ['issue_assign', 'issues', 'issue_label']);
    const life = new BottleLife(world, { forge: 'gitea', owner: OWNER, repo: REPO, number }, 0);
    return { life, timed: await life.timedTurn(await relay.release()) };
  }

  /** A comment on the pull request wakes the frozen run. */
  async resume(): Promise<TimedTurn> {
    const { person, relay, kind } = this.world;
    const { prs } = await this.view();
    const [pr] = prs;
    if (pr === undefined) throw new Error('the first turn opened no pull request');
    relay.hold();
    await person.comment(pr, kind.comment);
    await held(relay, ['pull_request_comment']);
    return this.timedTurn(await relay.release());
  }

  /** Closes the pull request, waits for the run's end, and answers its whole history. */
  async close(): Promise<readonly HistoryEvent[]> {
    const { client, person } = this.world;
    const { prs } = await this.view();
    for (const pr of prs) await person.closeIssue(pr);
    if (prs.length === 0) await person.closeIssue(this.subject.number);
    const handle = client.workflow.getHandle(workflowIdOf(this.subject));
    await within('the end of the run', FROZEN_MS, handle.result());
    return (await handle.fetchHistory()).events ?? [];
  }

  /** By the rows: queries that poll would take time from what is measured, and now and then cost a workflow task. */
  private async recorded(turn: number): Promise<void> {
    const files = new StackFiles(this.world.stack.home);
    await until(
      `the rows of turn ${String(turn)}`,
      async () => {
        const row = await files.stateRow(this.subject);
        const ended = async (slug: string): Promise<boolean> =>
          (await files.turnRows(slug)).some((one) => one.turn === turn && one.event === 'ended');
        return (row?.status === 'frozen' && (await ended(row.slug))) || undefined;
      },
      FROZEN_MS,
    );
  }

  private view(): Promise<RunView> {
    const { stack, client } = this.world;
    return stack.until(client, this.subject, 'an answer', () => true);
  }

  private async timedTurn(postedAt: number): Promise<TimedTurn> {
    const { stack, kind } = this.world;
    const turn = (this.turn += 1);
    await this.recorded(turn);
    const frozen = await this.view();
    if (frozen.slug === null || frozen.reason !== 'done')
      throw new Error(`turn ${String(turn)} ended as ${String(frozen.reason)}: ${String(frozen.detail)}`);
    const timed = { slug: frozen.slug, turn, postedAt };
    return { ...timed, endedAt: await kind.momentOf(stack, timed) };
  }
}

export interface LifeWorld {
  readonly stack: Stack;
  readonly client: Client;
  /** Acts on the repository whose deliveries go through the relay. */
  readonly person: Person;
  readonly relay: DeliveryRelay;
  readonly kind: LifeKind;
}

/** The repository of these lives, and its hook. */
export async function preparePerson(stack: Stack, relay: DeliveryRelay): Promise<Person> {
  const { gitea } = stack;
  const repo = await gitea.addRepository(gitea.alice, REPO);
  await gitea.addWebhook(repo, relay.url, stack.webhookSecret);
  return gitea.alice.on(repo);
}

function held(relay: DeliveryRelay, types: readonly string[]): Promise<true> {
  return until(
    `the deliveries ${types.join(', ')}`,
    () => (types.every((type) => relay.heldTypes.includes(type)) ? true : undefined),
    20_000,
  );
}
