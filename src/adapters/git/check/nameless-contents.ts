import type { NamelessContents } from '../../../domain/secret/secret-scanner.js';
import { gitCommit, writeGitObjects } from '../../system/git-objects.js';
import type { Candidate } from './candidate.js';
import { changesOfCommits, type Change } from './changes.js';

type File = { readonly name: string; readonly blob: string };

/** So that names in the order of their numbers are in the order of their bytes. */
const DIGITS = 9;

/**
 * A scanner passes over files by their names (`*.bin`, `vendor/`, lock files), and whoever chooses the name chooses what is
 * scanned. So every new content is written into the quarantine under a number too. What the forge has and was deleted is in
 * the base, so that git sees a file that was only moved.
 * @param isNew the objects that the forge does not have
 */
export async function namelessContents(
  candidate: Candidate,
  isNew: ReadonlySet<string>,
): Promise<NamelessContents> {
  const places = new Map<string, Change>();
  const [gone, before, after]: [File[], File[], File[]] = [[], [], []];
  for (const change of await changesOfCommits(candidate)) {
    const blob = change.after ?? change.link;
    if (change.deleted) {
      const known = change.before.filter((old) => !isNew.has(old));
      for (const old of known) gone.push({ name: `gone-${numbered(gone.length)}`, blob: old });
    } else if (blob !== null && isNew.has(blob)) {
      // Of a merge, against each parent: as the scanner reads it.
      for (const old of change.before.length === 0 ? [undefined] : change.before) {
        const name = numbered(places.size);
        places.set(name, change);
        after.push({ name, blob });
        if (old !== undefined) before.push({ name, blob: old });
      }
    }
  }
  const base = await gitCommit({ files: [...before, ...gone] });
  const tip = await gitCommit({ files: after, parent: base.id });
  await writeGitObjects(candidate.dir, [...base.objects, ...tip.objects]);
  return { tip: tip.id, base: base.id, placeOf: (name) => places.get(name) };
}

function numbered(at: number): string {
  return String(at).padStart(DIGITS, '0');
}
