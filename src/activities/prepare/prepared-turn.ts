import type { AgentAnswer } from '../../domain/agent/agents.js';
import type { TurnBottle } from '../../domain/bottle/bottle-setup.js';
import type { PreparedTurn, PrepareTurnOutcome } from '../../domain/run/events.js';
import type { AgentManifest } from '../../domain/manifest/manifests.js';
import { pauseOf, pauseText } from '../../domain/run/pause.js';
import { turnOfBottle } from '../base/turn-of-bottle.js';
import { dayBudget } from './day-budget.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { PrepareTurnInput } from '../ports/inputs.js';
import { writeTurnRows, type TurnFacts } from '../rows/turn-rows.js';

type Chosen = Extract<AgentAnswer, { kind: 'found' }> &
  Omit<TurnFacts, 'promptRef' | 'agent'> &
  Pick<TurnBottle, 'readers'> & {
    readonly prompt: string;
    readonly readKeys: readonly string[];
    readonly baseBranches: readonly string[];
  };

/** The turn's rows are written; then it may have to wait, for the operator or for the day's budget. */
export async function preparedTurn(
  ports: HomePorts,
  input: PrepareTurnInput,
  chosen: Chosen,
): Promise<PrepareTurnOutcome> {
  const { agent, bottle, bottleNames, branch, readKeys, baseBranches } = chosen;
  const ofBottle = await turnOfBottle(ports, bottle, chosen);
  await writeTurnRows(ports, input, { ...chosen, promptRef: ofBottle.promptRef });
  // After its row is written: `changePause` goes by that.
  const pause = pauseOf(await ports.database.pauses.all(), input.subject);
  if (pause !== undefined) return { kind: 'paused', reason: pauseText(pause) };
  const day = await dayBudget(ports);
  if (day.kind === 'spent' && !input.dayIsLifted)
    return { kind: 'over_budget', reason: day.reason, until: day.until };
  const isLimitedByDay = !input.dayIsLifted && ports.provider(chosen.provider).access(agent.model) !== null;
  const prepared = {
    ...ofBottle,
    branch,
    readKeys,
    model: agent.model,
    ...extrasOf(agent),
    ...(day.kind === 'left' && isLimitedByDay ? { budget: day.budget } : {}),
    env: bottle.env,
    gitUser: agent.gitUser,
    baseBranches,
    bottleNames,
    drafts: bottle.publish.drafts,
  };
  return { kind: 'ready', prepared };
}

/** What most agents do not say is not in the workflow's history either. */
function extrasOf({
  variant,
  limits,
}: AgentManifest): Pick<PreparedTurn, 'variant' | 'turnTimeoutMs' | 'watchdogMs'> {
  const { turnTimeoutMs, watchdogMs } = limits;
  return {
    ...(variant === null ? {} : { variant }),
    ...(turnTimeoutMs === null ? {} : { turnTimeoutMs }),
    ...(watchdogMs === null ? {} : { watchdogMs }),
  };
}
