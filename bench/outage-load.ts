/** Triggered issues and comments on them, made on a real forge, and the deliveries it sent about them. */
import type { SubjectRef } from '../src/domain/issue.js';
import { mapLimited } from '../src/webhook/map-limited.js';
import { Catcher, type Caught } from '../test/support/deliveries/catcher.js';
import type { Stack } from '../test/support/stack/stack.js';
import { cleaningUp } from './clean-up.js';
import type { SignedDelivery } from './paced-posts.js';
import { until } from './until.js';

/** `issue_assign`, `issues`, `issue_label` */
const DELIVERIES_AN_ISSUE = 3;
const ISSUES = 20;
const MAKERS = 4;
const DELIVERED_MS = 120_000;
const [OWNER, REPO] = ['alice', 'outage'];
const PATH = '/hook';

export interface OutageLoad {
  readonly subjects: readonly SubjectRef[];
  readonly commentIds: readonly number[];
  /** As the forge sent and signed them, in its order: all about the triggers, then all about the comments. */
  readonly deliveries: readonly SignedDelivery[];
}

/** @param count of all deliveries */
export async function makeLoad(stack: Stack, count: number): Promise<OutageLoad> {
  const { gitea } = stack;
  const catcher = await Catcher.start();
  return cleaningUp(
    () => catcher.stop(),
    async () => {
      const repo = await gitea.addRepository(gitea.alice, REPO);
      const person = gitea.alice.on(repo);
      await gitea.addWebhook(repo, catcher.url + PATH, stack.webhookSecret);
      const numbers: number[] = [];
      for (let at = 1; at <= ISSUES; at += 1)
        numbers.push(
          await person.createIssue({
            title: `Issue ${String(at)} of an outage`,
            body: 'Please write notes.',
            labels: ['bot-bottle:implementer'],
            assignees: [gitea.bot.login],
          }),
        );
      await caught(catcher, ISSUES * DELIVERIES_AN_ISSUE);
      const comments = Array.from({ length: count - ISSUES * DELIVERIES_AN_ISSUE }, (_value, at) => at);
      const commentIds = await mapLimited(comments, MAKERS, (at) =>
        person.comment(numbers[at % numbers.length] ?? 0, `Remark ${String(at)}: please mind the greeting.`),
      );
      await caught(catcher, count);
      return {
        subjects: numbers.map((number) => ({ forge: 'gitea', owner: OWNER, repo: REPO, number })),
        commentIds,
        deliveries: aboutIssues(catcher).map(signedDelivery),
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

function signedDelivery({ headers, rawBody }: Caught): SignedDelivery {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    /^(?:x-|content-type$)/.test(name) && typeof value === 'string' ? [[name, value] as const] : [],
  );
  return { headers: Object.fromEntries(kept), body: rawBody };
}
