import { publishedCommits } from '../../domain/provenance/published.js';
import { needsSeal, nextSeal, type SealReason, type Signer } from '../../domain/provenance/seal.js';
import type { Database, Stores } from '../../domain/run/stores.js';

/** Seals what is recorded of a run that comes to rest. Repeating it adds nothing. */
export async function sealRun(
  { runs, provenance }: Pick<Stores, 'runs' | 'provenance'>,
  signer: Signer,
  { slug, reason, at }: { readonly slug: string; readonly reason: SealReason; readonly at: number },
): Promise<void> {
  const head = await provenance.head(slug);
  const last = await provenance.lastSeal(slug);
  if (head === undefined || !needsSeal(head, last, reason)) return;
  const commits = publishedCommits((await runs.turns(slug)).map(({ detail }) => detail));
  await provenance.addSeal(nextSeal(signer, { head, last, commits }, { reason, at }));
}

/** Seals the runs at rest that an earlier version left without the seal of that. To be called before anything else writes. */
export async function sealUnsealed(database: Database, signer: Signer, at: number): Promise<void> {
  await database.transaction(async (stores) => {
    for (const { slug, reason } of await stores.provenance.unsealed())
      await sealRun(stores, signer, { slug, reason, at });
  });
}
