import { createHash } from 'node:crypto';
import { LFS_POINTER_BYTES } from '../../../domain/workspace/lfs.js';
import { quarantined, type Candidate } from './candidate.js';
import { changesOfCommits } from './changes.js';
import { plainText } from '../git-failure.js';
import { pathsOfLfs, readPointers } from './lfs-files.js';
import { newObjects, placeOfObject, readObjects } from './new-objects.js';

/** git-lfs' specification: a pointer is UTF-8 text that begins with this line. */
const BEGINNING = 'version https://git-lfs.github.com/spec/v1\n';

/**
 * A bottle can't upload what a new pointer stands for, and whoever fetched it would get nothing. A pointer that is on the
 * forge already, moved or not, is no new object.
 */
export async function leavesNoLfsPointer(candidate: Candidate): Promise<string | undefined> {
  const small = (await newObjects(candidate)).filter(
    ({ type, size }) => type === 'blob' && size < LFS_POINTER_BYTES && size > BEGINNING.length,
  );
  const pointers: string[] = [];
  await readObjects(
    candidate,
    small.map(({ id }) => id),
    ({ id }) => {
      const parts: Uint8Array[] = [];
      return {
        data: (bytes) => void parts.push(bytes),
        end: () => {
          const text = Buffer.concat(parts).toString();
          if (text.startsWith(BEGINNING) && text.includes('\noid sha256:')) pointers.push(id);
        },
      };
    },
  );
  const [first] = pointers;
  if (first === undefined) return undefined;
  const { path, commit } = await placeOfObject(candidate, first);
  return (
    `${plainText(path, 200)} of commit ${commit?.slice(0, 12) ?? ''} is a new Git LFS pointer, and what it stands for can't be ` +
    'uploaded from here: leave files of LFS as they are, or take the path out of LFS in .gitattributes and commit the file itself, both in the ' +
    'commit itself'
  );
}

/**
 * What a workspace with LFS has in a pointer's place is not what belongs into a commit: others would have it in their
 * history for good. It takes a git without the filter to make such a commit.
 */
export async function keepsLfsPointers(candidate: Candidate): Promise<string | undefined> {
  const { head, request } = candidate;
  const changes = (await changesOfCommits(candidate)).flatMap(({ commit, path, before, after }) =>
    after === null ? [] : before.map((from) => ({ commit, path, from, after })),
  );
  const sizes = await sizesOf(candidate, [...new Set(changes.flatMap(({ from, after }) => [from, after]))]);
  const small = changes.filter(({ from }) => (sizes.get(from) ?? LFS_POINTER_BYTES) < LFS_POINTER_BYTES);
  const pointers = await readPointers(candidate, [...new Set(small.map(({ from }) => from))]);
  const suspects = small.filter(({ from, after }) => pointers.get(from)?.size === sizes.get(after));
  if (suspects.length === 0) return undefined;
  const hashes = new Map<string, string>();
  await readObjects(candidate, [...new Set(suspects.map(({ after }) => after))], ({ id }) => {
    const hash = createHash('sha256');
    return { data: (bytes) => void hash.update(bytes), end: () => void hashes.set(id, hash.digest('hex')) };
  });
  const ofLfs = await pathsOfLfs(candidate, head, suspects);
  const found = suspects.find(
    ({ path, from, after }) => ofLfs.has(path) && hashes.get(after) === pointers.get(from)?.oid,
  );
  if (found === undefined) return undefined;
  return (
    `${plainText(found.path, 200)} of commit ${found.commit.slice(0, 12)} is the content of a file of Git LFS in the place of ` +
    `its pointer: take it out of the commits themselves (git reset --soft ${request.baseSha}, git restore --staged the ` +
    'file, commit again)'
  );
}

async function sizesOf(candidate: Candidate, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const input = ids.map((id) => `${id}\n`).join('');
  const lines = await quarantined(
    candidate,
    ['cat-file', '--batch-check=%(objectname) %(objectsize)'],
    input,
  );
  return new Map(
    lines.split('\n').flatMap((line): [string, number][] => {
      const [, id, size] = /^([0-9a-f]{40}) (\d+)$/.exec(line) ?? [];
      return id === undefined ? [] : [[id, Number(size)]];
    }),
  );
}
