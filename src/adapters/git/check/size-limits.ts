import type { Candidate } from './candidate.js';
import { changesOfCommits } from './changes.js';
import { plainText } from '../git-failure.js';
import { newObjects, placeOfObject, type GitObject } from './new-objects.js';

/** Of one commit or tag object: headers, signature and message. */
export const MAX_COMMIT_BYTES = 64 * 1024;
/** Of all commit and tag objects: each is read and scanned as a text. */
export const MAX_ALL_COMMIT_BYTES = 4 * 1024 * 1024;

/** Commits, bytes in all and of one file, and files: of the commits themselves, whatever is left of it at their end. */
export async function staysInLimits(candidate: Candidate): Promise<string | undefined> {
  const { maxBytes, maxCommits, maxFileBytes } = candidate.request;
  if (candidate.commits.length > maxCommits) {
    return (
      `there are ${String(candidate.commits.length)} new commits, more than the ${String(maxCommits)} that may be published: ` +
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
  const wordy = longMessages(objects);
  if (wordy !== undefined) return wordy;
  const large = objects.find(({ type, size }) => type === 'blob' && size > maxFileBytes);
  if (large !== undefined) {
    const { path, commit } = await placeOfObject(candidate, large.id);
    return (
      `${plainText(path, 200)} of commit ${commit?.slice(0, 12) ?? ''} has ${String(large.size)} bytes, more than the ` +
      `${String(maxFileBytes)} that one file may have: take it out of the commits themselves, a later removal is not enough`
    );
  }
  // More than `maxFiles` and it refuses.
  await changesOfCommits(candidate);
  return undefined;
}

function longMessages(objects: readonly GitObject[]): string | undefined {
  const commits = objects.filter(({ type }) => type === 'commit' || type === 'tag');
  const long = commits.find(({ size }) => size > MAX_COMMIT_BYTES);
  if (long !== undefined)
    return (
      `${long.type} ${long.id.slice(0, 12)} has ${String(long.size)} bytes of message and headers, more than the ` +
      `${String(MAX_COMMIT_BYTES)} that may be published: make it again with a shorter message`
    );
  const bytes = commits.reduce((sum, { size }) => sum + size, 0);
  if (bytes <= MAX_ALL_COMMIT_BYTES) return undefined;
  return (
    `the messages and headers of the new commits have ${String(bytes)} bytes together, more than the ` +
    `${String(MAX_ALL_COMMIT_BYTES)} that may be published: make the commits again with shorter messages`
  );
}
