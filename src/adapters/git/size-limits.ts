import type { Candidate } from './candidate.js';
import { changesOfCommits } from './changes.js';
import { plainText } from './git-failure.js';
import { newObjects, placeOfObject } from './new-objects.js';

/** Commits, bytes in all and of one file, and files: of the commits themselves, whatever is left of it at their end. */
export async function staysInLimits(candidate: Candidate): Promise<string | undefined> {
  const { maxBytes, maxFiles, maxCommits, maxFileBytes } = candidate.request;
  if (candidate.commits > maxCommits) {
    return (
      `there are ${String(candidate.commits)} new commits, more than the ${String(maxCommits)} that may be published: ` +
      'put several together into one'
    );
  }
  const objects = await newObjects(candidate);
  const bytes = objects.reduce((sum, { size }) => sum + size, 0);
  if (!(bytes <= maxBytes)) {
    return (
      `the new commits hold ${String(bytes)} bytes, more than the ${String(maxBytes)} that may be published: take large ` +
      'or generated files out of the commits themselves, a later removal is not enough'
    );
  }
  const large = objects.find(({ type, size }) => type === 'blob' && size > maxFileBytes);
  if (large !== undefined) {
    const { path, commit } = await placeOfObject(candidate, large.id);
    return (
      `${plainText(path, 200)} of commit ${commit?.slice(0, 12) ?? ''} has ${String(large.size)} bytes, more than the ` +
      `${String(maxFileBytes)} that one file may have: take it out of the commits themselves, a later removal is not enough`
    );
  }
  const files = new Set((await changesOfCommits(candidate)).map((change) => change.path)).size;
  if (files <= maxFiles) return undefined;
  return `the new commits change ${String(files)} files, more than the ${String(maxFiles)} that may be published`;
}
