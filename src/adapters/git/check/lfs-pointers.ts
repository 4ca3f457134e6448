import type { Candidate } from './candidate.js';
import { plainText } from '../git-failure.js';
import { newObjects, placeOfObject, readTexts } from './new-objects.js';

/** git-lfs' specification: a pointer is UTF-8 text that begins with this line, and shorter than this. */
const BEGINNING = 'version https://git-lfs.github.com/spec/v1\n';
const POINTER_BYTES = 1024;

/**
 * A bottle can't upload what a new pointer stands for, and whoever fetched it would get nothing. A pointer that is on the
 * forge already, moved or not, is no new object.
 */
export async function leavesNoLfsPointer(candidate: Candidate): Promise<string | undefined> {
  const small = (await newObjects(candidate)).flatMap(({ id, type, size }) =>
    type === 'blob' && size < POINTER_BYTES && size > BEGINNING.length ? [id] : [],
  );
  const pointers: string[] = [];
  await readTexts(candidate, small, (id, text) => {
    if (text.startsWith(BEGINNING) && text.includes('\noid sha256:')) pointers.push(id);
  });
  const [first] = pointers;
  if (first === undefined) return undefined;
  const { path, commit } = await placeOfObject(candidate, first);
  return (
    `${plainText(path, 200)} of commit ${commit?.slice(0, 12) ?? ''} is a new Git LFS pointer, and what it stands for can't be ` +
    'uploaded from here: leave files of LFS as they are, or take the path out of LFS in .gitattributes and commit the file itself, both in the ' +
    'commit itself'
  );
}
