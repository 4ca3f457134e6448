import { ForgeHttpError } from '../../domain/base/errors.js';
import { nameOfTarget } from '../../domain/forge/forge-admin.js';
import type { Hook, RepoTarget } from '../../domain/forge/forge-admin.js';
import { explainOtherSecret, explainSilence } from './explain.js';
import { WANTED_EVENTS } from './plan-hook.js';
import type { ItemState } from './report.js';
import { replaceHook } from './set-up.js';
import type { MadeHook, SetUpJob, WebhookWish } from './set-up.js';
import type { DeliveryWatch, Seen } from '../../domain/forge/delivery-watch.js';
import type { ForgeSetupSettings } from '../base/setup-world.js';

export interface DeliveryTest {
  readonly watch: RunningWatch;
  readonly settings: ForgeSetupSettings;
  readonly wish: WebhookWish & { readonly secret: string };
  readonly waitMs: number;
  /** Ends the waiting, so that the forge is left as it was found. */
  readonly ending: AbortSignal;
}

export type RunningWatch = Exclude<DeliveryWatch, { readonly kind: 'unavailable' }>;

/** Name of the webhook that stands in for an organization's, which Gitea can't be asked to test. */
const STAND_IN = 'bot-bottle test';

/**
 * Has the forge deliver something and sees whether it comes with the right signature. The forge's test is a push, which
 * the webhook does not want otherwise: it wants it for as long as the test takes.
 * @returns whether the test of another target may come through
 */
export async function testDelivery(job: SetUpJob, test: DeliveryTest, made: MadeHook): Promise<boolean> {
  const { target } = job;
  if (!(await test.watch.sameSecret())) {
    tell(job, 'problem', explainOtherSecret(test.settings.listen));
    return false;
  }
  if (target.kind === 'org') return testThroughRepository(job, test, target.org);
  if ((await job.admin.repository(target)).empty) return skip(job, 'the repository has no commit yet');
  let seen = await deliverOnce(job, test, target, made.hook);
  if (seen === 'unsigned' && !made.fresh) {
    const hook = await replaceHook(job, made.hook, test.wish);
    const detail = 'the forge signed with another secret';
    job.report({ what: 'webhook', state: 'repaired', name: test.wish.url, detail });
    seen = await deliverOnce(job, test, target, hook);
  }
  return judge(job, test, seen, '');
}

async function deliverOnce(
  { admin }: SetUpJob,
  { watch, waitMs, ending }: DeliveryTest,
  target: RepoTarget,
  hook: Hook,
): Promise<Seen> {
  const expectation = await watch.expect();
  const open = await admin.editHook(target, hook, { events: [...WANTED_EVENTS, 'push'] });
  try {
    await admin.testHook(target, hook.id);
    return await expectation.arrived(waitMs, ending);
  } finally {
    await admin.editHook(target, open, { events: WANTED_EVENTS });
  }
}

/** A webhook of one repository, for the moment: same address, same secret. */
async function testThroughRepository(job: SetUpJob, test: DeliveryTest, org: string): Promise<boolean> {
  const { admin } = job;
  const { watch, wish, waitMs, ending } = test;
  try {
    const through = (await admin.repositoriesOf(org)).find(({ empty, archived }) => !empty && !archived);
    if (through === undefined) return skip(job, 'the organization has no repository with a commit');
    const { target } = through;
    for (const { id, name } of await admin.listHooks(target))
      if (name === STAND_IN) await admin.deleteHook(target, id);
    const expectation = await watch.expect();
    const spec = { name: STAND_IN, url: wish.url, secret: wish.secret, events: ['push'] };
    const standIn = await admin.createHook(target, spec);
    try {
      await admin.testHook(target, standIn.id);
      const seen = await expectation.arrived(waitMs, ending);
      return judge(job, test, seen, ` (by a webhook that ${nameOfTarget(target)} had for the moment)`);
    } finally {
      await admin.deleteHook(target, standIn.id);
    }
  } catch (error) {
    if (!(error instanceof ForgeHttpError && error.status === 403)) throw error;
    return skip(job, 'the token may not make a webhook in a repository (scope write:repository)');
  }
}

function judge(job: SetUpJob, test: DeliveryTest, seen: Seen, how: string): boolean {
  const { watch, settings, wish, waitMs } = test;
  if (seen === 'verified') {
    const where = watch.kind === 'running' ? 'the running webhook' : 'this command, as no webhook runs';
    tell(job, 'ok', `arrived at ${where}, signature right${how}`);
    return true;
  }
  const why =
    seen === 'nothing'
      ? explainSilence(wish.url, settings.listen, watch.kind, waitMs)
      : 'arrived with a wrong signature, although forge and webhook have the same secret: a proxy between them changes the body';
  tell(job, 'problem', why);
  return false;
}

/** A target that cannot be tested says nothing of the others. */
export function skip(job: SetUpJob, reason: string): true {
  tell(job, 'skipped', `not tested: ${reason}`);
  return true;
}

function tell({ report }: SetUpJob, state: ItemState, detail: string): void {
  report({ what: 'delivery', state, detail });
}
