/** `orchestrate start`: the operator's own trigger, which asks for neither label nor assignee. */
import type { Client } from '@temporalio/client';
import { agentsOfConfig } from '../agents-of-config.js';
import type { Refused, StartOptions } from '../../cli/base/orchestrator.js';
import type { Config } from '../../config/load-config.js';
import type { Place, SubjectRef } from '../../domain/forge/issue.js';
import { textHash } from '../../domain/forge/reference-key.js';
import { parseTriggerLabels } from '../../domain/forge/trigger.js';
import { forgeOfConfig } from '../forge-of-config.js';
import { placesOfConfig } from '../places-of-config.js';
import { policyOf } from '../run-policy.js';
import { sha256 } from '../../webhook/sha256.js';
import { temporalGateway } from '../../webhook/dispatch/temporal-gateway.js';
import { sidecarToken } from '../secrets-of-config.js';

export interface OperatorTriggerWorld {
  readonly config: Config;
  readonly client: Client;
  readonly storePrompt: (text: string) => Promise<string>;
  /** Who starts it. */
  readonly by: string;
}

/** Errors: the forge's, when the issue cannot be read. */
export async function operatorTrigger(
  { config, client, storePrompt, by }: OperatorTriggerWorld,
  subject: SubjectRef,
  options: StartOptions,
): Promise<{ readonly kind: 'sent' } | Refused> {
  const readAt = Date.now();
  const forge = forgeOfConfig(config).forgeFor(() => sidecarToken(config))(subject);
  const [issue, repository] = await Promise.all([forge.readIssue(subject.number), forge.readRepository()]);
  const called = (await forge.whereIs(repository.id)) ?? subject;
  if (isOtherCase(called, subject)) {
    const name = `${called.owner}/${called.repo}#${String(subject.number)}`;
    return { kind: 'refused', reason: `the forge calls it ${name}: give that name` };
  }
  const place = { repoId: repository.id, owner: subject.owner, repo: subject.repo };
  if (!isServed(config, place)) {
    const reason = `${place.owner}/${place.repo} is not served: name it in FORGE_REPOS, and start what runs again`;
    return { kind: 'refused', reason };
  }
  if (issue.state !== 'open') return { kind: 'refused', reason: 'the issue is closed: reopen it first' };
  const labels = parseTriggerLabels(issue.labels);
  const agent = options.agent ?? (labels.kind === 'agent' ? labels.agent : null);
  if (agent === null) return { kind: 'refused', reason: 'no label names an agent: give one with --agent' };
  const bottles =
    options.bottles.length > 0 || labels.kind !== 'agent' || labels.bottle === null
      ? options.bottles
      : [labels.bottle];
  const found = await agentsOfConfig(config).findOrRefuse({ name: agent, bottles, repo: subject, forge });
  if (found.kind === 'refused') return found;
  const promptRef = options.prompt === null ? null : await storePrompt(options.prompt);
  const trigger = {
    agent,
    bottles,
    actor: '',
    // It is compared with what the forge tells: when its pull request was closed, what was written since.
    actAt: Date.now() + forge.aheadMs,
    actId: 0,
    textHash: promptRef === null ? textHash(issue, sha256) : '',
    pull: issue.isPull ? issue.number : null,
    operator: { promptRef, by },
  };
  const event = {
    kind: 'observed',
    readAt,
    ...(forge.aheadMs === 0 ? {} : { aheadMs: forge.aheadMs }),
    open: true,
    closedAt: null,
    triggered: true,
    trigger,
    prs: [],
    place,
  } as const;
  await temporalGateway(client, { policy: policyOf(config) }).signalWithStart(subject, event, {
    title: options.label ?? issue.title,
    url: issue.url,
  });
  return { kind: 'sent' };
}

/** The forge takes any, but a run is known by the forge's own: this would be a second one of the same issue. */
function isOtherCase(called: Pick<Place, 'owner' | 'repo'>, { owner, repo }: SubjectRef): boolean {
  const [ours, theirs] = [`${owner}/${repo}`, `${called.owner}/${called.repo}`];
  return ours !== theirs && ours.toLowerCase() === theirs.toLowerCase();
}

/** Else the run would be frozen as soon as the webhook looked at it. */
function isServed(config: Config, place: Place): boolean {
  // The webhook says what is wrong with its file.
  const quiet = (): void => undefined;
  return placesOfConfig(config, quiet, quiet).serves(place);
}
