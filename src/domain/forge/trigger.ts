import type { ForgeUser, TimelineAct } from './issue.js';

/** Label prefixes of the trigger convention [S0]. */
export const AGENT_LABEL_PREFIX = 'bot-bottle:';
export const BOTTLE_LABEL_PREFIX = 'bot-bottle-bottle:';

export const MANIFEST_KEY = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export type LabelVerdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'agent'; readonly agent: string; readonly bottle: string | null }
  | { readonly kind: 'rejected'; readonly reason: string };

/** Which agent (and bottle) the labels name; two agent or two bottle labels are a mistake to report, not to guess at. */
export function parseTriggerLabels(labels: readonly string[]): LabelVerdict {
  const agents = suffixes(labels, AGENT_LABEL_PREFIX);
  const bottles = suffixes(labels, BOTTLE_LABEL_PREFIX);
  const [agent, secondAgent] = agents;
  const [bottle, secondBottle] = bottles;
  if (agent === undefined) return { kind: 'none' };
  if (secondAgent !== undefined) return rejected(`two agent labels (${agents.join(', ')}): leave one`);
  if (secondBottle !== undefined) return rejected(`two bottle labels (${bottles.join(', ')}): leave one`);
  if (!MANIFEST_KEY.test(agent)) return rejected(`"${agent}" is not a possible agent name`);
  if (bottle !== undefined && !MANIFEST_KEY.test(bottle))
    return rejected(`"${bottle}" is not a possible bottle name`);
  return { kind: 'agent', agent, bottle: bottle ?? null };
}

function suffixes(labels: readonly string[], prefix: string): string[] {
  const found = labels.filter((label) => label.startsWith(prefix)).map((label) => label.slice(prefix.length));
  return [...new Set(found)];
}

function rejected(reason: string): LabelVerdict {
  return { kind: 'rejected', reason };
}

/** The act that made the trigger complete: who did it decides who drives the agent, when it was decides whether it is new. */
export interface TriggerAct {
  readonly actor: ForgeUser;
  /** Epoch milliseconds, the forge's clock. */
  readonly at: number;
  /** `TimelineAct.id` */
  readonly id: number;
}

/** What two triggers are ordered by. */
export interface ActOrder {
  readonly actAt: number;
  readonly actId: number;
}

/** The forge gives times in whole seconds: an act may really be this much later than it says, milliseconds. */
export const FORGE_CLOCK_GRAIN_MS = 999;

/** Whether an act came after another: the forge's times have whole seconds, within one its numbering decides. */
export function isLaterAct(act: ActOrder, than: ActOrder): boolean {
  return act.actAt > than.actAt || (act.actAt === than.actAt && act.actId > than.actId);
}

/**
 * The last act in the forge's timeline that the trigger depends on: the agent label added, a member assigned, the
 * subject opened or reopened. `memberLogins` are the assignees that are members of the agent org.
 */
export function completingAct(
  timeline: readonly TimelineAct[],
  agent: string,
  memberLogins: readonly string[],
): TriggerAct | undefined {
  const members = new Set(memberLogins);
  let last: TriggerAct | undefined;
  for (const act of timeline) {
    const counts =
      act.kind === 'opened' ||
      act.kind === 'reopened' ||
      (act.kind === 'labeled' && act.what === AGENT_LABEL_PREFIX + agent) ||
      (act.kind === 'assigned' && members.has(act.what));
    if (!counts) continue;
    const at = Date.parse(act.at);
    const { actor, id } = act;
    if (last === undefined || at > last.at || (at === last.at && id >= last.id)) last = { actor, at, id };
  }
  return last;
}

/** Why the bot's own act starts nothing: what a refused trigger says, and what it is known by afterwards. */
export function ownActReason(bot: string): string {
  return `${bot} may not start itself: a person has to label or assign`;
}
