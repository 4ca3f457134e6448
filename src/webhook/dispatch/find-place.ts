import { createAccess } from '../../domain/forge/access.js';
import type { Forge, ForgeUnit } from '../../domain/forge/forge.js';
import type { Place } from '../../domain/forge/issue.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import type { TextVersion } from '../../domain/forge/text-since-act.js';
import type { HandleDeps } from './dispatch-deps.js';
import type { Hint } from '../events/hint.js';
import { observeSubject } from './observe-subject.js';
import type { Observation } from './observe-subject.js';

/** The repository is where `FORGE_REPOS` names nothing, or `hidden`: it, or all of the subject's kind, is out of our sight. */
export interface Unserved {
  readonly kind: 'unserved' | 'hidden';
  readonly why: string;
}

/**
 * Observes a subject wherever its repository is now: under the name of the delivery, else under the one that the forge
 * has for the repository's id. Errors: `ForgeHttpError` other than 404.
 */
export async function findPlace(
  deps: Pick<HandleDeps, 'forgeFor' | 'settings' | 'agents' | 'serves' | 'now'>,
  hint: Hint,
  row: ForgeStateRow | undefined,
  textVersions: readonly TextVersion[],
): Promise<Observation | Unserved> {
  const told: Place = { repoId: hint.repoId, owner: hint.subject.owner, repo: hint.subject.repo };
  if (deps.serves(told)) {
    const seen = await observeAt(deps, told, hint, row, textVersions);
    if (seen.kind === 'observed') return seen;
  }
  const place = await deps.forgeFor(hint.subject).whereIs(hint.repoId);
  if (place === undefined)
    return { kind: 'hidden', why: 'the repository is not there, or hidden from the bot' };
  if (!deps.serves(place)) {
    return {
      kind: 'unserved',
      why: `the repository is ${place.owner}/${place.repo} now, which is not served`,
    };
  }
  const seen: Observation = isNamed(place, told)
    ? { kind: 'missing' }
    : await observeAt(deps, place, hint, row, textVersions);
  return seen.kind === 'missing' ? whyMissing(deps.forgeFor({ ...hint.subject, ...place }), row) : seen;
}

/** Switching issues off deletes none: that must end no run. */
async function whyMissing(forge: Forge, row: ForgeStateRow | undefined): Promise<Observation | Unserved> {
  if (row === undefined) return { kind: 'missing' };
  // A run whose pull request has its own number began as one. What any other began as, nobody can tell any more.
  const units: readonly ForgeUnit[] = row.prNumber === row.issueNumber ? ['pulls'] : ['issues', 'pulls'];
  for (const unit of units) {
    if (await forge.canRead(unit)) continue;
    const what = unit === 'issues' ? 'issues' : 'pull requests';
    return { kind: 'hidden', why: `${what} are switched off in the repository, or hidden from the bot` };
  }
  return { kind: 'missing' };
}

/** Where the forge has the repository's id, if we see and serve it there. */
export async function servedPlace(
  deps: Pick<HandleDeps, 'forgeFor' | 'serves'>,
  hint: Hint,
): Promise<Place | undefined> {
  const place = await deps.forgeFor(hint.subject).whereIs(hint.repoId);
  return place !== undefined && deps.serves(place) ? place : undefined;
}

export function isNamed(place: Place, { owner, repo }: Pick<Place, 'owner' | 'repo'>): boolean {
  return place.owner === owner && place.repo === repo;
}

function observeAt(
  deps: Pick<HandleDeps, 'forgeFor' | 'settings' | 'agents' | 'now'>,
  place: Place,
  hint: Hint,
  row: ForgeStateRow | undefined,
  textVersions: readonly TextVersion[],
): Promise<Observation> {
  const { settings, agents, now } = deps;
  const forge = deps.forgeFor({ forge: hint.subject.forge, owner: place.owner, repo: place.repo });
  const access = createAccess(forge, settings);
  const world = { forge, access, agents, org: settings.org, bot: forge.whoAmI(), now };
  return observeSubject(world, place, row?.issueNumber ?? hint.subject.number, row, hint, textVersions);
}
