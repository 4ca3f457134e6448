import type { AgentAnswer } from '../../domain/agent/agents.js';
import type { TurnBottle } from '../../domain/bottle/bottle-setup.js';
import type { PreparedTurn } from '../../domain/run/events.js';
import type { AgentManifest, BottleManifest } from '../../domain/manifest/manifests.js';
import { pauseOf, pauseText } from '../../domain/run/pause.js';
import { dayBudget } from './day-budget.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { PrepareTurnInput, PrepareTurnOutcome } from '../ports/inputs.js';
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
  const [promptRef, bottleRef] = await Promise.all([
    ports.blobs.put(chosen.prompt),
    ports.blobs.put(JSON.stringify(setupOf(bottle, chosen.readers))),
  ]);
  await writeTurnRows(ports, input, { ...chosen, promptRef });
  // After its row is written: `changePause` goes by that.
  const pause = pauseOf(await ports.database.pauses.all(), input.subject);
  if (pause !== undefined) return { kind: 'paused', reason: pauseText(pause) };
  const day = await dayBudget(ports);
  if (day.kind === 'spent' && !input.dayIsLifted)
    return { kind: 'over_budget', reason: day.reason, until: day.until };
  const provider = ports.provider(chosen.provider);
  const isLimitedByDay = !input.dayIsLifted && provider.access(agent.model) !== null;
  const prepared = {
    promptRef,
    branch,
    readKeys,
    provider: chosen.provider,
    model: agent.model,
    ...extrasOf(agent, bottle),
    ...(day.kind === 'left' && isLimitedByDay ? { budget: day.budget } : {}),
    image: bottle.image ?? provider.image,
    env: bottle.env,
    limits: bottle.limits,
    gitUser: agent.gitUser,
    baseBranches,
    bottleNames,
    allowPaths: bottle.publish.allowPaths,
    drafts: bottle.publish.drafts,
    bottleRef,
  };
  return { kind: 'ready', prepared };
}

/** What most agents and bottles do not say is not in the workflow's history either. */
function extrasOf(
  agent: AgentManifest,
  { disk }: BottleManifest,
): Pick<PreparedTurn, 'variant' | 'turnTimeoutMs' | 'watchdogMs' | 'disk'> {
  const { variant } = agent;
  const { turnTimeoutMs, watchdogMs } = agent.limits;
  return {
    ...(variant === null ? {} : { variant }),
    ...(turnTimeoutMs === null ? {} : { turnTimeoutMs }),
    ...(watchdogMs === null ? {} : { watchdogMs }),
    ...(disk.bytes === null && disk.inodes === null ? {} : { disk }),
  };
}

function setupOf(bottle: BottleManifest, readers: TurnBottle['readers']): TurnBottle {
  const { dockerfile, allow, routes, registries, setup, workspace, runtime } = bottle;
  return { dockerfile, allow, routes, registries, setup, workspace, runtime, readers };
}
