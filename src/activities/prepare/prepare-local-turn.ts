import { NO_FILES } from '../../domain/agent/agents.js';
import { composePrompt } from '../../domain/prompt/prompt.js';
import type { PromptTask } from '../../domain/prompt/prompt-input.js';
import { localBranchOf } from '../../domain/run/slug.js';
import { findAgent } from './find-agent.js';
import type { HomePorts } from '../ports/home-ports.js';
import type { PrepareTurnOutcome } from '../../domain/run/events.js';
import { repositoryOf, type PrepareTurnInput } from '../ports/inputs.js';
import { preparedTurn } from './prepared-turn.js';
import { causeText, freshSession } from './prompt-of-turn.js';

/** Of a run without an issue: no forge says what is wanted, and none is told of it. Errors: those of the manifests. */
export async function prepareLocalTurn(
  ports: HomePorts,
  input: PrepareTurnInput,
): Promise<PrepareTurnOutcome> {
  const { slug, trigger } = input;
  const repo = repositoryOf(input);
  const branch = localBranchOf(slug);
  const promptRef = trigger.operator?.promptRef ?? null;
  if (branch === undefined || promptRef === null)
    return { kind: 'refused', reason: 'a run without an issue needs a prompt of the operator' };
  const forge = repo.path === undefined ? ports.forgeFor(repo) : NO_FILES;
  const found = await findAgent(ports, input, {
    ...{ name: trigger.agent, bottles: trigger.bottles, repo, forge },
  });
  if (found.kind === 'refused') return { kind: 'refused', reason: found.reason };
  const { agent, bottle } = found;
  const task = async (): Promise<PromptTask> => ({
    kind: 'local',
    prompt: await ports.blobs.getText(promptRef),
  });
  const nothing = { summaries: [], pull: null, comments: [] };
  const [cause, fresh] = await Promise.all([
    causeText(ports.blobs, input, agent, task),
    freshSession(input, agent, task, () => Promise.resolve(nothing)),
  ]);
  const { base } = bottle.publish;
  const { omitted, limit } = input;
  const prompt = composePrompt({
    ...{ ...cause, fresh, branch, baseBranch: base, pr: null, events: [], omitted, limit },
    moved: input.moved,
    refusal: input.refusal,
    forge: false,
  });
  return preparedTurn(ports, input, {
    ...found,
    row: await ports.database.forgeState.ofRun(slug),
    issueUrl: repo.path ?? `${repo.owner}/${repo.repo}`,
    dropped: [],
    shadowed: false,
    readers: null,
    prompt,
    branch,
    readKeys: [],
    baseBranches: base === null ? [] : [base],
  });
}
