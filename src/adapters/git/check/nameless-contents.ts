import type { NamelessContents } from '../../../domain/secret/secret-scanner.js';
import { quarantined, type Candidate } from './candidate.js';
import { changesOfCommits, type Change } from './changes.js';

const WHO = 'bot-bottle <bot-bottle@localhost> 0 +0000';

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
  const [before, after]: [string[], string[]] = [[], []];
  for (const change of await changesOfCommits(candidate)) {
    const blob = change.after ?? change.link;
    if (change.deleted) {
      const known = change.before.filter((old) => !isNew.has(old));
      for (const old of known) before.push(entry(`gone-${String(before.length)}`, old));
    } else if (blob !== null && isNew.has(blob)) {
      // Of a merge, against each parent: as the scanner reads it.
      for (const old of change.before.length === 0 ? [undefined] : change.before) {
        const name = String(places.size);
        places.set(name, change);
        after.push(entry(name, blob));
        if (old !== undefined) before.push(entry(name, old));
      }
    }
  }
  const base = await writeCommit(candidate, before);
  return { tip: await writeCommit(candidate, after, base), base, placeOf: (name) => places.get(name) };
}

function entry(name: string, blob: string): string {
  return `100644 blob ${blob}\t${name}\n`;
}

async function writeCommit(
  candidate: Candidate,
  entries: readonly string[],
  parent?: string,
): Promise<string> {
  const tree = (await quarantined(candidate, ['mktree'], entries.join(''))).trim();
  const header = [`tree ${tree}`, ...(parent === undefined ? [] : [`parent ${parent}`])];
  const text = [...header, `author ${WHO}`, `committer ${WHO}`, '', 'contents', ''].join('\n');
  return (await quarantined(candidate, ['hash-object', '-t', 'commit', '-w', '--stdin'], text)).trim();
}
