import { namelessHooks, ownHooks, shownUrl } from './plan-hook.js';
import type { WantedHook } from './plan-hook.js';
import { ownLabels } from './plan-labels.js';
import { planned } from './report.js';
import type { SetUpJob } from './set-up.js';

/** Takes our webhooks away, and our labels where nothing carries them. */
export async function removeSetUp(job: SetUpJob, wanted: WantedHook): Promise<void> {
  const { admin, target, report, dryRun } = job;
  let found = 0;
  const hooks = await admin.listHooks(target);
  for (const { url } of namelessHooks(hooks, wanted)) {
    const detail =
      'of another installation, or not at our address: give that by --url, or remove it by hand if it is yours';
    report({ what: 'webhook', state: 'kept', name: shownUrl(url), detail });
  }
  for (const hook of ownHooks(hooks, wanted)) {
    found += 1;
    if (!dryRun) await admin.deleteHook(target, hook.id);
    report({ what: 'webhook', state: planned('removed', dryRun), name: shownUrl(hook.url) });
  }
  for (const label of ownLabels(await admin.listLabels(target))) {
    found += 1;
    const item = { what: 'label', name: label.name } as const;
    if (await admin.labelInUse(target, label.name)) {
      report({ ...item, state: 'kept', detail: 'an issue or pull request carries it' });
      continue;
    }
    if (!dryRun) await admin.deleteLabel(target, label.id);
    report({ ...item, state: planned('removed', dryRun) });
  }
  if (found === 0) report({ what: 'webhook', state: 'unchanged', detail: 'nothing of ours was there' });
}
