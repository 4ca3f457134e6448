import { createAccess } from '../../domain/forge/access.js';
import type { AccessSettings } from '../../domain/forge/access.js';
import type { Place } from '../../domain/forge/issue.js';
import type { Hint } from '../events/hint.js';
import type { HandleDeps, Addressee } from './dispatch-deps.js';
import { isNamed, servedPlace } from './find-place.js';
import type { DeliveryResult, Handled } from './outcome.js';
import { readReferences } from './read-references.js';
import type { ReferenceVerdict } from './read-references.js';
import type { Segment } from './segment.js';

/** What may wake a run. */
export interface Wakers {
  readonly people: AccessSettings;
  /** Failed checks do. */
  readonly checks: boolean;
}

/**
 * What people wrote and pushed, and what fails, becomes one signal of references, in the order in which it was delivered.
 * @param since epoch milliseconds, the forge's clock: what is older is nobody's
 */
export async function handleReferences(
  deps: Pick<HandleDeps, 'forgeFor' | 'gateway' | 'settings' | 'serves'>,
  wakers: Wakers,
  { hints, deliveries }: Extract<Segment, { kind: 'references' }>,
  { identity, row }: Addressee,
  since = 0,
): Promise<Handled> {
  const [first] = hints;
  const isNobodys = row === undefined && hints.every(({ cause }) => cause.kind === 'checks');
  if (first === undefined || isNobodys) return { kind: 'done', results: deliveries.map(() => NO_RUN) };
  const { found, place } = await readWhereItIs(
    deps,
    wakers,
    row?.issueNumber ?? first.subject.number,
    first,
    hints,
  );
  const verdicts = found.map((verdict) => laterThan(since, verdict));
  const references = verdicts.flatMap((verdict) => (verdict.kind === 'references' ? verdict.references : []));
  const withdrawn = verdicts.flatMap((verdict) => (verdict.kind === 'withdrawn' ? [verdict.commentId] : []));
  const nothing = references.length === 0 && withdrawn.length === 0;
  const delivered =
    nothing ||
    (await deps.gateway.signal(identity, { kind: 'references', references, withdrawn, place })) ===
      'delivered';
  return { kind: 'done', results: verdicts.map((verdict) => resultOf(verdict, delivered)) };
}

/**
 * Reads under the name that the deliveries have, and once more where the repository is now when something is not found
 * there. Nothing counts as taken back where the repository itself is out of sight.
 */
async function readWhereItIs(
  deps: Pick<HandleDeps, 'forgeFor' | 'settings' | 'serves'>,
  { people, checks }: Wakers,
  subjectNumber: number,
  first: Hint,
  hints: readonly Hint[],
): Promise<{ readonly found: readonly ReferenceVerdict[]; readonly place: Place }> {
  const { wakeOn, ignored } = deps.settings;
  const readAt = async (place: Place): Promise<readonly ReferenceVerdict[]> => {
    const forge = deps.forgeFor({ ...first.subject, ...place });
    const access = createAccess(forge, people);
    const bot = await forge.whoAmI();
    return readReferences({ forge, access, checks, bot, wakeOn, ignored }, subjectNumber, hints);
  };
  const told = { repoId: first.repoId, owner: first.subject.owner, repo: first.subject.repo };
  const found = await readAt(told);
  if (!found.some(({ kind }) => kind === 'withdrawn' || kind === 'gone')) return { found, place: told };
  const place = await servedPlace(deps, first);
  if (place === undefined) {
    const seen = found.map((verdict) =>
      verdict.kind === 'withdrawn' ? ({ kind: 'gone' } as const) : verdict,
    );
    return { found: seen, place: told };
  }
  return { found: isNamed(place, told) ? found : await readAt(place), place };
}

type Verdict = ReferenceVerdict | { readonly kind: 'older' };

function laterThan(since: number, verdict: ReferenceVerdict): Verdict {
  if (verdict.kind !== 'references') return verdict;
  const references = verdict.references.filter(({ at }) => at >= since);
  return references.length === 0 ? { kind: 'older' } : { kind: 'references', references };
}

const NO_RUN: DeliveryResult = { outcome: 'no_run', detail: '' };

function resultOf(verdict: Verdict, delivered: boolean): DeliveryResult {
  switch (verdict.kind) {
    case 'older':
      return NO_RUN;
    case 'references':
      return {
        outcome: delivered ? 'signalled' : 'no_run',
        detail: verdict.references.map((reference) => reference.key).join(' '),
      };
    case 'withdrawn':
      return {
        outcome: delivered ? 'signalled' : 'no_run',
        detail: `withdrawn comment ${String(verdict.commentId)}`,
      };
    default:
      return { outcome: verdict.kind, detail: '' };
  }
}
