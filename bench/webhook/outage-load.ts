/** Triggered issues and comments on them, made on a real forge, and the deliveries it sent about them. */
import type { SubjectRef } from '../../src/domain/forge/issue.js';
import { mapLimited } from '../../src/domain/base/map-limited.js';
import { Catcher, type Caught } from '../../test/support/deliveries/catcher.js';
import { deliveryHeaders, type SignedDelivery } from '../../test/support/deliveries/signed-delivery.js';
import type { Stack } from '../../test/support/stack/stack.js';
import { cleaningUp } from '../base/clean-up.js';
import { until } from '../base/until.js';

/** `issue_assign`, `issues`, `issue_label` */
const DELIVERIES_AN_ISSUE = 3;
/** Without the one to warm up with. */
const ISSUES = 20;
const MAKERS = 4;
const DELIVERED_MS = 120_000;
const [OWNER, REPO] = ['alice', 'outage'];
const PATH = '/hook';

export interface OutageLoad {
  readonly subjects: readonly SubjectRef[];
  readonly commentIds: readonly number[];
  /** All about an issue of its own. */
  readonly warmUp: readonly SignedDelivery[];
  /** About all the others. As the forge sent and signed them, in its order: the triggers, then the comments. */
  readonly deliveries: readonly SignedDelivery[];
}

/** @param count of deliveries, by what they are for */
export async function makeLoad(
  stack: Stack,
  count: { readonly warmUp: number; readonly measured: number },
): Promise<OutageLoad> {
  const { gitea } = stack;
  const catcher = await Catcher.start();
  return cleaningUp(
    () => catcher.stop(),
    async () => {
      const repo = await gitea.addRepository(gitea.alice, REPO);
      const person = gitea.alice.on(repo);
      await gitea.addWebhook(repo, catcher.url + PATH, stack.webhookSecret);
      const numbers: number[] = [];
      for (let at = 0; at <= ISSUES; at += 1)
        numbers.push(
          await person.createIssue({
            title: `Issue ${String(at)} of an outage`,
            body: 'Please write notes.',
            labels: ['bot-bottle:demo'],
            assignees: [gitea.bot.login],
          }),
        );
      const triggers = (ISSUES + 1) * DELIVERIES_AN_ISSUE;
      await caught(catcher, triggers);
      const [first = 0, ...others] = numbers;
      const toFirst = count.warmUp - DELIVERIES_AN_ISSUE;
      const all = count.warmUp + count.measured;
      const comments = Array.from({ length: all - triggers }, (_value, at) => at);
      const commentIds = await mapLimited(comments, MAKERS, (at) =>
        person.comment(
          (at < toFirst ? first : others[at % others.length]) ?? 0,
          `Remark ${String(at)}: please mind the greeting.`,
        ),
      );
      await caught(catcher, all);
      const [warmUp, deliveries] = [true, false].map((isFirst) =>
        aboutIssues(catcher).filter(({ rawBody }) => (numberIn(rawBody) === first) === isFirst),
      );
      return {
        subjects: numbers.map((number) => ({ forge: 'gitea', owner: OWNER, repo: REPO, number })),
        commentIds,
        warmUp: (warmUp ?? []).map(signedDelivery),
        deliveries: (deliveries ?? []).map(signedDelivery),
      };
    },
  );
}

/** The repository's own making is told late, as a push. */
function aboutIssues(catcher: Catcher): readonly Caught[] {
  return catcher.at(PATH).filter(({ headers }) => String(headers['x-gitea-event-type']).startsWith('issue'));
}

async function caught(catcher: Catcher, count: number): Promise<void> {
  await until(
    `${String(count)} deliveries of the forge`,
    () => (aboutIssues(catcher).length >= count ? true : undefined),
    DELIVERED_MS,
  );
  const { length } = aboutIssues(catcher);
  if (length !== count) throw new Error(`the forge sent ${String(length)} deliveries, not ${String(count)}`);
}

function numberIn(body: Buffer): number | undefined {
  return (JSON.parse(body.toString()) as { readonly issue?: { readonly number?: number } }).issue?.number;
}

function signedDelivery({ headers, rawBody }: Caught): SignedDelivery {
  return { headers: deliveryHeaders(headers), body: rawBody };
}
