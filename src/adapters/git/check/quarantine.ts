import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { GitError, GitOverrunError } from '../../../domain/base/errors.js';
import type { BundleHeader } from '../bundle-file.js';
import { quarantineFailure, tryToRun, type InQuarantine } from './candidate.js';
import { isDiskFull } from '../disk-room.js';
import { localFailure, plainText } from '../git-failure.js';
import { MAX_NEW_OBJECTS, TOO_MANY_OBJECTS } from './new-objects.js';

/** Largest single allocation of git: a commit or tree that unpacks to gigabytes ends git, not the machine. */
const ALLOCATION_LIMIT = '512m';

/**
 * Takes the bundle's pack into the quarantine: every object is checked by fsck's strict rules and every link must lead
 * to an object that is there. Resolves with the reason when it is refused. Errors: `GitOverrunError` for a pack whose
 * deltas unpack to more than the limits have room for; `GitError` for a full disk.
 */
export async function takeIn(
  quarantine: InQuarantine,
  bundleFile: string,
  header: BundleHeader,
  maxBytes: number,
): Promise<string | undefined> {
  const missing = await missingCommits(quarantine, header.prerequisites);
  if (missing.length > 0) {
    return `the commits build on ${short(missing)}, which the forge does not have: start from the branch as it was given`;
  }
  if ((await objectCount(bundleFile, header.packOffset)) > MAX_NEW_OBJECTS) return TOO_MANY_OBJECTS;
  const args = [
    ...['-c', 'core.bigFileThreshold=16m', '-c', 'pack.threads=1', 'index-pack', '--stdin', '--fix-thin'],
    ...['--strict', `--max-input-size=${String(maxBytes)}`],
  ];
  const output = await tryToRun(quarantine, args, {
    env: { GIT_ALLOC_LIMIT: ALLOCATION_LIMIT },
    input: createReadStream(bundleFile, { start: header.packOffset }),
  });
  if (output.exitCode !== 0) {
    // What git says may be the agent's words; what the file system says is not.
    if (await isDiskFull(quarantine.dir, maxBytes)) throw localFailure('taking in the new commits', output);
    const failure = quarantineFailure(output);
    if (failure instanceof GitOverrunError) throw failure;
    return `git does not accept the commits: ${plainText(output.stderr, 300)}`;
  }
  if ((await missingCommits(quarantine, [header.head])).length > 0) return "the branch's tip is not a commit";
  return undefined;
}

/** What the pack's own header says (gitformat-pack(5)); `index-pack` takes neither more nor fewer. */
async function objectCount(bundleFile: string, packOffset: number): Promise<number> {
  const file = await open(bundleFile);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), { position: packOffset + 8 });
    return bytesRead === 4 ? buffer.readUInt32BE() : 0;
  } finally {
    await file.close();
  }
}

/** Those that are no commit of the repository. */
export async function missingCommits(where: InQuarantine, shas: readonly string[]): Promise<string[]> {
  if (shas.length === 0) return [];
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const output = await tryToRun(where, args, { input: shas.map((sha) => `${sha}\n`).join('') });
  if (output.exitCode !== 0) throw new GitError('the repository cannot be read', true);
  const commits = new Set(
    output.stdout.split('\n').flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, 40)] : [])),
  );
  return shas.filter((sha) => !commits.has(sha));
}

function short(shas: readonly string[]): string {
  return shas
    .slice(0, 3)
    .map((sha) => sha.slice(0, 12))
    .join(', ');
}
