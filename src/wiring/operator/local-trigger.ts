/** `orchestrate start` without an issue: nothing is read from a forge but the repository, and nothing is written there. */
import path from 'node:path';
import { directoryRepository, readLocalSource } from '../../adapters/git/local-source.js';
import type { LocalOptions, Refused, RunSource } from '../../cli/base/orchestrator.js';
import { NO_FILES, type AgentRequest } from '../../domain/agent/agents.js';
import { LOCAL, localSubject, type RepoRef, type SubjectRef } from '../../domain/forge/issue.js';
import { makeLocalSlug } from '../../domain/run/slug.js';
import { temporalGateway } from '../../webhook/dispatch/temporal-gateway.js';
import { agentsOfConfig } from '../agents-of-config.js';
import { forgeOfConfig } from '../forge-of-config.js';
import type { OperatorTriggerWorld } from './operator-trigger.js';
import { policyOf } from '../run-policy.js';
import { sidecarToken } from '../secrets-of-config.js';

/** Errors: `InvalidInputError` for a directory that no run can begin from; the forge's, when the repository cannot be read. */
export async function localTrigger(
  world: OperatorTriggerWorld,
  asked: RunSource,
  options: LocalOptions,
): Promise<{ readonly kind: 'sent'; readonly subject: SubjectRef } | Refused> {
  const { config, client, storePrompt, by } = world;
  const { agent, bottles } = options;
  const { source, files, names } = await lookAt(world, asked);
  const found = await agentsOfConfig(config).findOrRefuse({
    name: agent,
    bottles,
    repo: source,
    forge: files,
  });
  if (found.kind === 'refused') return found;
  const slug = makeLocalSlug(agent, names, Math.random);
  const subject = localSubject(slug);
  const now = Date.now();
  const operator = { promptRef: await storePrompt(options.prompt), by, source };
  const trigger = {
    ...{ agent, bottles, actor: '', actAt: now, actId: 0, textHash: '', pull: null },
    operator,
  };
  const event = {
    kind: 'observed',
    ...{ readAt: now, open: true, closedAt: null, triggered: true, trigger, prs: [] },
    // No repository of the forge is this run's.
    place: { repoId: 0, owner: LOCAL, repo: slug },
  } as const;
  const title = options.label ?? names.join('/');
  await temporalGateway(client, { policy: policyOf(config) }).signalWithStart(subject, event, {
    title,
    url: source.path ?? `${source.owner}/${source.repo}`,
  });
  return { kind: 'sent', subject };
}

interface Source {
  readonly source: RepoRef;
  /** Where agents that the repository brings would be. */
  readonly files: AgentRequest['forge'];
  /** What the slug is made of. */
  readonly names: readonly string[];
}

async function lookAt({ config }: OperatorTriggerWorld, asked: RunSource): Promise<Source> {
  if (asked.kind === 'directory') {
    await readLocalSource(path.join(config.BOT_BOTTLE_HOME, 'mirrors', '.local'), asked.path);
    return { source: directoryRepository(asked.path), files: NO_FILES, names: [path.basename(asked.path)] };
  }
  const { owner, repo } = asked;
  const forge = forgeOfConfig(config);
  const source = { forge: forge.kind, owner, repo };
  const files = forge.forgeFor(() => sidecarToken(config))(source);
  await files.readRepository();
  return { source, files, names: [owner, repo] };
}
