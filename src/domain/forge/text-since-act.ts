/** Whether a subject's words are still those that somebody had before him when he asked for an agent. Pure. */
import type { ForgeUser, Issue, TimelineAct } from './issue.js';
import { isLaterAct, type TriggerAct } from './trigger.js';

/** What was changed after an act, or may have been. */
export type TextChange =
  | { readonly what: 'title' | 'ref'; readonly by: ForgeUser }
  /** No forge says who wrote a description: its author can, and whoever may write issues. */
  | { readonly what: 'description'; readonly by: null };

/** A delivery's word: so often had the description been written anew when this person acted. */
export interface TextVersion {
  readonly actorId: number;
  /** Epoch milliseconds, the forge's clock. */
  readonly at: number;
  readonly version: number;
}

/**
 * What was changed since an act. Titles and base branches stand in the timeline. Of descriptions there is only a number
 * that grows with each change, which a delivery about the act tells as it was then; and else the time at which anything
 * of the subject was touched last, in whole seconds: what may be a later change counts as one.
 * @param told by deliveries, of whatever acts
 */
export function changesSince(
  act: TriggerAct,
  issue: Pick<Issue, 'contentVersion' | 'updatedAt'>,
  timeline: readonly TimelineAct[],
  told: readonly TextVersion[],
): TextChange[] {
  const order = { actAt: act.at, actId: act.id };
  const later = timeline.filter((one) => isLaterAct({ actAt: Date.parse(one.at), actId: one.id }, order));
  const changes: TextChange[] = [];
  for (const what of ['title', 'ref'] as const) {
    const last = later.findLast((one) => one.kind === 'edited' && one.what === what);
    if (last !== undefined) changes.push({ what, by: last.actor });
  }
  if (mayBeRewritten(act, issue, told)) changes.push({ what: 'description', by: null });
  return changes;
}

function mayBeRewritten(
  act: TriggerAct,
  { contentVersion, updatedAt }: Pick<Issue, 'contentVersion' | 'updatedAt'>,
  told: readonly TextVersion[],
): boolean {
  if (contentVersion === 0) return false;
  // Several acts of a person in one second: the earliest is never later than the one in question.
  const then = told
    .filter(({ actorId, at }) => actorId === act.actor.id && at === act.at)
    .map(({ version }) => version);
  if (contentVersion !== undefined && then.length > 0) return contentVersion !== Math.min(...then);
  return Date.parse(updatedAt) > act.at;
}
