import { open } from 'node:fs/promises';

export interface BundleHeader {
  readonly head: string;
  /** Commits the bundle builds on. */
  readonly prerequisites: readonly string[];
  /** Where the pack begins, bytes. */
  readonly packOffset: number;
}

export type BundleReading =
  | { readonly kind: 'bundle'; readonly header: BundleHeader }
  | { readonly kind: 'refused'; readonly reason: string };

const HEADER_BYTES = 128 * 1024;
const SIGNATURE = '# v2 git bundle';
/** The subject behind a prerequisite's id is the agent's text and means nothing. */
const PREREQUISITE = /^-([0-9a-f]{40})(?: .*)?$/s;
const REFERENCE = /^([0-9a-f]{40}) (\S+)$/;

/**
 * Reads the header of a version 2 bundle (gitformat-bundle(5)) that must carry exactly the branch. We read it ourselves
 * and give the pack to `git index-pack`, since fetching from a bundle ignores `fetch.fsckObjects` before git 2.46
 * (seen on 2.39) and knows no limit.
 */
export async function readBundleHeader(
  file: string,
  branch: string,
  maxBytes: number,
): Promise<BundleReading> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (size > maxBytes) {
      return refused(
        `the new commits take ${String(size)} bytes, more than the ${String(maxBytes)} that may be published: ` +
          'take large or generated files out of the commits',
      );
    }
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(HEADER_BYTES, size)), {
      position: 0,
    });
    return parse(buffer.subarray(0, bytesRead), branch);
  } finally {
    await handle.close();
  }
}

function parse(bytes: Buffer, branch: string): BundleReading {
  const end = bytes.indexOf('\n\n');
  if (end < 0) return refused('the bundle has no header, or too long a one');
  const [signature, ...lines] = bytes.toString('latin1', 0, end).split('\n');
  if (signature !== SIGNATURE) return refused('the bundle is not a version 2 git bundle');
  const prerequisites: string[] = [];
  const heads: string[] = [];
  for (const line of lines) {
    const [, prerequisite] = PREREQUISITE.exec(line) ?? [];
    const [, head, name] = REFERENCE.exec(line) ?? [];
    if (prerequisite !== undefined) prerequisites.push(prerequisite);
    else if (head !== undefined && name === `refs/heads/${branch}`) heads.push(head);
    else return refused(`the bundle has a line that is neither a commit nor the branch ${branch}`);
  }
  const [head, second] = heads;
  if (head === undefined || second !== undefined)
    return refused(`the bundle must carry exactly the branch ${branch}`);
  return { kind: 'bundle', header: { head, prerequisites, packOffset: end + 2 } };
}

function refused(reason: string): BundleReading {
  return { kind: 'refused', reason };
}
