import type { AgentAnswer } from '../domain/agents.js';
import type { Trigger } from '../domain/events.js';
import { isHeadOfOurs } from '../domain/issue.js';
import type { ForgeUser, Issue, PullRequest, TimelineAct } from '../domain/issue.js';
import { textHash } from '../domain/reference-key.js';
import { AGENT_LABEL_PREFIX, completingAct, ownActReason, parseTriggerLabels } from '../domain/trigger.js';
import type { Access } from '../domain/access.js';
import { sha256 } from './sha256.js';

export interface TriggerFacts {
  readonly issue: Issue;
  /** The account whose token we use: its own acts start nothing. */
  readonly bot: ForgeUser;
  /** Set when the subject is itself a PR. */
  readonly pull: PullRequest | null;
  readonly timeline: readonly TimelineAct[];
}

export interface TriggerVerdict {
  /** One agent label and a member assignee hold right now, whether or not the subject is open. */
  readonly triggered: boolean;
  readonly trigger: Trigger | null;
  /** Why an attempt started nothing; `at` is the forge's time of the last act of the attempt. */
  readonly refusal: { readonly reason: string; readonly at: number } | null;
}

const NOTHING: TriggerVerdict = { triggered: false, trigger: null, refusal: null };

/**
 * The trigger rule (spec section 4) over a fresh read of the forge. An incomplete trigger (label or assignee missing)
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
  });

  const logins = issue.assignees.map((user) => user.login);
  const memberships = await Promise.all(logins.map((login) => access.isMember(login)));
  const members = logins.filter((_login, index) => memberships[index] === true);
  // What is closed starts nothing, but a run whose PR is open goes on.
  if (issue.state !== 'open') {
    const triggered = members.length > 0 && labels.kind === 'agent';
    return { triggered, trigger: null, refusal: null };
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
  if (act === undefined) return { triggered: true, trigger: null, refusal: null };
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
  };
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
