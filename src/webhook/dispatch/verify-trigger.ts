import type { AgentAnswer } from '../../domain/agent/agents.js';
import type { Trigger } from '../../domain/run/events.js';
import { isHeadOfOurs } from '../../domain/forge/issue.js';
import type { ForgeUser, Issue, PullRequest, TimelineAct } from '../../domain/forge/issue.js';
import { textHash } from '../../domain/forge/reference-key.js';
import { changesSince, type TextVersion } from '../../domain/forge/text-since-act.js';
import {
  AGENT_LABEL_PREFIX,
  completingAct,
  ownActReason,
  parseTriggerLabels,
  type TriggerAct,
} from '../../domain/forge/trigger.js';
import type { Access } from '../../domain/forge/access.js';
import { sha256 } from '../sha256.js';

export interface TriggerFacts {
  readonly issue: Issue;
  /** The account whose token we use: its own acts start nothing. */
  readonly bot: ForgeUser;
  /** Set when the subject is itself a PR. */
  readonly pull: PullRequest | null;
  readonly timeline: readonly TimelineAct[];
  /** As deliveries told them. */
  readonly textVersions: readonly TextVersion[];
}

export interface TriggerVerdict {
  /** One agent label and a member assignee hold right now, whether or not the subject is open. */
  readonly triggered: boolean;
  readonly trigger: Trigger | null;
  /** Why an attempt started nothing; `at` is the forge's time of the last act of the attempt. */
  readonly refusal: { readonly reason: string; readonly at: number } | null;
  /** Why the trigger begins nothing although all of it holds: the text is not the one that it was given for. */
  readonly edited: string | null;
}

const NOTHING: TriggerVerdict = { triggered: false, trigger: null, refusal: null, edited: null };

/**
 * The trigger rule over a fresh read of the forge. An incomplete trigger (label or assignee missing)
 * is nothing; one that somebody meant and that cannot work is a refusal with a reason to show.
 * @param find which agent the labels mean
 */
export async function verifyTrigger(
  facts: TriggerFacts,
  access: Access,
  find: (agent: string, bottles: readonly string[]) => Promise<AgentAnswer>,
  org: string,
): Promise<TriggerVerdict> {
  const { issue, pull, timeline, bot } = facts;
  const labels = parseTriggerLabels(issue.labels);
  if (labels.kind === 'none' || issue.assignees.length === 0) return NOTHING;
  const refused = (reason: string, triggered = false): TriggerVerdict => ({
    triggered,
    trigger: null,
    refusal: { reason, at: lastActAt(timeline) },
    edited: null,
  });

  const logins = issue.assignees.map((user) => user.login);
  const memberships = await Promise.all(logins.map((login) => access.isMember(login)));
  const members = logins.filter((_login, index) => memberships[index] === true);
  // What is closed starts nothing, but a run whose PR is open goes on.
  if (issue.state !== 'open') {
    const triggered = members.length > 0 && labels.kind === 'agent';
    return { ...NOTHING, triggered };
  }
  if (members.length === 0)
    return refused(`no assignee (${logins.join(', ')}) is a member of ${org}: assign one who is`);
  if (labels.kind === 'rejected') return refused(labels.reason);
  if (pull !== null && !isHeadOfOurs(pull, bot))
    return refused('a pull request from a fork starts no agent: push the branch to this repository');

  const act = completingAct(timeline, labels.agent, members);
  const bottles = labels.bottle === null ? [] : [labels.bottle];
  const [found, allowed] = await Promise.all([
    find(labels.agent, bottles),
    act === undefined ? false : access.mayTrigger(act.actor.login),
  ]);
  if (found.kind === 'refused') return refused(found.reason, true);
  if (act === undefined) return { ...NOTHING, triggered: true };
  if (act.actor.id === bot.id) return refused(ownActReason(bot.login), true);
  if (!allowed)
    return refused(
      `${act.actor.login} may not start an agent here: somebody with write access has to label or assign`,
      true,
    );
  const { actor, at: actAt, id: actId } = act;
  return {
    triggered: true,
    trigger: {
      agent: labels.agent,
      bottles,
      actor: actor.login,
      actAt,
      actId,
      textHash: textHash(issue, sha256),
      pull: null,
    },
    refusal: null,
    edited: await editedBySomebodyElse(facts, act, access),
  };
}

/** The first change since the act that nobody is known to have made who may ask for an agent himself. */
async function editedBySomebodyElse(
  { issue, timeline, textVersions }: TriggerFacts,
  act: TriggerAct,
  access: Access,
): Promise<string | null> {
  for (const { what, by } of changesSince(act, issue, timeline, textVersions)) {
    // The forge names nobody: everybody who can must be allowed to. Whoever may write is, the author perhaps.
    const { login } = by ?? issue.author;
    if (await access.mayTrigger(login)) continue;
    const change =
      by === null
        ? `the description may have been changed, and ${login}, who may not start an agent here, can do that`
        : `${login}, who may not start an agent here, changed the ${what === 'ref' ? 'base branch' : what}`;
    return `after ${act.actor.login} had asked for an agent ${change}: read it again, then take the label off and set it again`;
  }
  return null;
}

function lastActAt(timeline: readonly TimelineAct[]): number {
  const times = timeline
    .filter(
      (act) =>
        act.kind === 'assigned' || act.kind.endsWith('opened') || act.what.startsWith(AGENT_LABEL_PREFIX),
    )
    .map((act) => Date.parse(act.at));
  return Math.max(0, ...times);
}
