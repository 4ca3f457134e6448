import { nameOfTarget } from '../../domain/forge/forge-admin.js';
import type { PublishPlace } from '../../domain/forge/forks.js';
import type { AdminTarget, ForgeAdmin, Hook, HookSpec, NewLabel } from '../../domain/forge/forge-admin.js';
import { CI_REMEDY } from '../doctor/ci-remedy.js';
import { planHook, shownUrl, WANTED_EVENTS } from './plan-hook.js';
import { planLabels } from './plan-labels.js';
import { planned } from './report.js';
import type { TargetReport } from './report.js';
import type { ForgeSetupWorld } from '../base/setup-world.js';

export interface SetUpJob {
  readonly admin: ForgeAdmin;
  readonly target: AdminTarget;
  readonly report: TargetReport;
  readonly dryRun: boolean;
}

/** The webhook as it is wanted, with its secret; `null` secret: a dry run before there is one. */
export interface WebhookWish {
  readonly url: string;
  readonly name: string | null;
  readonly secret: string | null;
}

/** A webhook that is there now. `fresh`: made just now, so it certainly has our secret. */
export interface MadeHook {
  readonly hook: Hook;
  readonly fresh: boolean;
}

export async function setUpLabels(job: SetUpJob, wanted: readonly NewLabel[]): Promise<void> {
  const { admin, target, report, dryRun } = job;
  const inherited = target.kind === 'repo' ? await admin.inheritedLabels(target) : [];
  const plan = planLabels(wanted, await admin.listLabels(target), inherited);
  for (const label of plan.create) {
    if (!dryRun) await admin.createLabel(target, label);
    report({ what: 'label', state: planned('created', dryRun), name: label.name });
  }
  for (const name of plan.present) report({ what: 'label', state: 'unchanged', name });
  for (const name of plan.inherited)
    report({ what: 'label', state: 'unchanged', name, detail: "the organization's" });
}

/** @returns the webhook as it is afterwards; nothing in a dry run */
export async function setUpHook(job: SetUpJob, wish: WebhookWish): Promise<MadeHook | undefined> {
  const { admin, target, report, dryRun } = job;
  const { action, duplicates, strangers } = planHook(await admin.listHooks(target), wish);
  const item = { what: 'webhook', name: wish.url } as const;
  let made: MadeHook | undefined;
  if (action.kind === 'keep') {
    report({ ...item, state: 'unchanged' });
    made = { hook: action.hook, fresh: false };
  } else if (action.kind === 'create') {
    if (!dryRun) made = { hook: await admin.createHook(target, specOf(wish)), fresh: true };
    report({ ...item, state: planned('created', dryRun) });
  } else {
    if (!dryRun) {
      made =
        action.kind === 'replace'
          ? { hook: await replaceHook(job, action.hook, wish), fresh: true }
          : {
              hook: await admin.editHook(target, action.hook, { url: wish.url, events: WANTED_EVENTS }),
              fresh: false,
            };
    }
    report({ ...item, state: planned('repaired', dryRun), detail: action.differs.join('; ') });
  }
  if (made !== undefined) reportShortfall(made.hook, job);
  for (const hook of duplicates) {
    if (!dryRun) await admin.deleteHook(target, hook.id);
    const detail = 'a second one of ours';
    report({ ...item, state: planned('removed', dryRun), name: shownUrl(hook.url), detail });
  }
  for (const { url } of strangers) {
    const detail =
      'of another installation, or left from an earlier address: remove it by hand if it is yours';
    report({ ...item, state: 'warning', name: shownUrl(url), detail });
  }
  return made;
}

/** Deliveries of what `FORGE_REPOS` does not name are answered and dropped. */
export function warnOfUnserved({ target, report }: SetUpJob, world: ForgeSetupWorld): void {
  if (world.serves(target)) return;
  const name = nameOfTarget(target);
  const detail =
    `FORGE_REPOS (${world.settings.repos.join(', ')}) does not name it, so its deliveries are ignored: add ` +
    (target.kind === 'org' ? `${name}/*` : name);
  report({ what: 'repository', state: 'warning', detail });
}

export async function warnOfCi({ admin, target, report }: SetUpJob, publish: PublishPlace): Promise<void> {
  if (publish === 'fork') return;
  const files = target.kind === 'repo' ? await admin.ciFiles(target) : null;
  if (files?.length === 0) return;
  const found = files === null ? 'where its repositories have CI' : `has CI (${files.join(', ')})`;
  const detail = `${found}: ${CI_REMEDY}`;
  report({ what: 'repository', state: 'warning', detail });
}

/** The new one first, so that at no time nothing is delivered; what comes twice meanwhile is recognized. */
export async function replaceHook({ admin, target }: SetUpJob, old: Hook, wish: WebhookWish): Promise<Hook> {
  const hook = await admin.createHook(target, specOf(wish), old);
  await admin.deleteHook(target, old.id);
  return hook;
}

function specOf({ url, name, secret }: WebhookWish): HookSpec {
  if (secret === null || name === null) throw new Error('a webhook is never made without a secret');
  return { url, name, secret, events: WANTED_EVENTS };
}

/** An older forge may not know a kind of delivery, and drops it without a word. */
function reportShortfall(hook: Hook, { report }: SetUpJob): void {
  const missing = WANTED_EVENTS.filter((event) => !hook.events.includes(event));
  if (missing.length === 0) return;
  const detail = `the forge does not know the events ${missing.join(', ')}: it is too old, or no Gitea`;
  report({ what: 'webhook', state: 'problem', name: hook.url, detail });
}
