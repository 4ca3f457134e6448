import type { Access } from '../../domain/forge/access.js';
import type { HandleDeps, Addressee } from './dispatch-deps.js';
import type { DeliveryResult, Handled } from './outcome.js';
import { readReferences } from './read-references.js';
import type { ReferenceVerdict } from './read-references.js';
import type { Segment } from './segment.js';

/** What may wake a run. */
export interface Wakers {
  readonly access: Access;
  /** Failed checks do. */
  readonly checks: boolean;
}

/**
 * What people wrote and pushed, and what fails, becomes one signal of references, in the order in which it was delivered.
 * @param since epoch milliseconds, the forge's clock: what is older is nobody's
 */
export async function handleReferences(
  deps: Pick<HandleDeps, 'forgeFor' | 'gateway' | 'settings'>,
  { access, checks }: Wakers,
  { hints, deliveries }: Extract<Segment, { kind: 'references' }>,
  { identity, row }: Addressee,
  since = 0,
): Promise<Handled> {
  const [first] = hints;
  const isNobodys = row === undefined && hints.every(({ cause }) => cause.kind === 'checks');
  if (first === undefined || isNobodys) return { kind: 'done', results: deliveries.map(() => NO_RUN) };
  const { wakeOn, ignored } = deps.settings;
  const forge = deps.forgeFor(first.subject);
  const found = await readReferences(
    { forge, access, checks, bot: await forge.whoAmI(), wakeOn, ignored },
    row?.issueNumber ?? first.subject.number,
    hints,
  );
  const verdicts = found.map((verdict) => laterThan(since, verdict));
  const references = verdicts.flatMap((verdict) => (verdict.kind === 'references' ? verdict.references : []));
  const withdrawn = verdicts.flatMap((verdict) => (verdict.kind === 'withdrawn' ? [verdict.commentId] : []));
  const place = { repoId: first.repoId, owner: first.subject.owner, repo: first.subject.repo };
  const nothing = references.length === 0 && withdrawn.length === 0;
  const delivered =
    nothing ||
    (await deps.gateway.signal(identity, { kind: 'references', references, withdrawn, place })) ===
      'delivered';
  return { kind: 'done', results: verdicts.map((verdict) => resultOf(verdict, delivered)) };
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
