import { BOUNDARY_TARGET, EXTRACTOR_SCRIPT, LEFT_OUT } from './extractor-script.js';
import { InvalidInputError } from '../base/errors.js';
import type { OneShotResult, OneShotSpec } from './bottle-runtime.js';
import { isBranchName } from '../workspace/branch-name.js';

/** Most uncommitted paths a report names. */
export const MAX_UNCOMMITTED_PATHS = 200;
/** Bytes of `git status` output taken along; the rest is cut in the container. */
const STATUS_BYTES = 64 * 1024;
/** Bytes a report needs beside the status list and the bundle. */
const REPORT_OVERHEAD = 4096;
const MAX_PATH_LENGTH = 1024;
const MAX_KNOWN_COMMITS = 64;
const MAGIC = 'bot-bottle-extract-1';
const SHA = /^[0-9a-f]{40}$/;

export interface ExtractionTarget {
  /** Name of the throw-away container. */
  readonly name: string;
  readonly slug: string;
  readonly image: string;
  /** Host directory of the workspace, mounted read-only. */
  readonly workspaceDir: string;
  /** Host file of the commits where the workspace's history ends, as the host gave them; `null` when it has all of it. */
  readonly boundaryFile: string | null;
  /** The run's branch. */
  readonly branch: string;
  readonly timeoutMs: number;
}

export interface Inspection {
  /** Tip of the run's branch in the workspace. */
  readonly head: string;
  /** Git blob id of `STUCK.md` in the work tree, `null` when there is none. */
  readonly stuck: string | null;
  /** Paths that differ from the branch's tip or are not tracked, at most `MAX_UNCOMMITTED_PATHS`. */
  readonly uncommitted: readonly string[];
}

export interface Extraction {
  readonly inspection: Inspection;
  /** A bundle (v2) of the branch without the known commits; `null` when they contain its tip already. */
  readonly bundle: Uint8Array | null;
}

/** What the container's exit codes mean; every one but 0 voids its output. */
const EXIT_REASONS: Readonly<Record<number, string>> = {
  64: 'the extractor was called wrongly',
  65: 'the branch is not there: commit to the branch the workspace was given with, and keep its name',
  66: 'the workspace has no ordinary .git directory: neither it nor what git keeps in it may be a symbolic link, a file in its place or another repository’s',
  67: 'the repository borrows objects from elsewhere (objects/info/alternates): remove that file',
  68: 'there is a named pipe in .git, or in the place of a .gitignore or .gitattributes: remove it',
  70: "git could not read the workspace's repository: objects are missing or damaged",
};

/**
 * One container that reports on the workspace and takes out the commits nobody has yet.
 * @param known commits the mirror has; the bundle leaves out what they contain
 * @param maxBundleBytes cap of the bundle
 */
export function extractionSpec(
  target: ExtractionTarget,
  known: readonly string[],
  maxBundleBytes: number,
): OneShotSpec {
  if (known.length > MAX_KNOWN_COMMITS || !known.every((sha) => SHA.test(sha))) {
    throw new InvalidInputError('known commits must be at most 64 full commit ids');
  }
  return spec(
    target,
    'extract',
    [String(STATUS_BYTES), ...known],
    maxBundleBytes + STATUS_BYTES + REPORT_OVERHEAD,
  );
}

/** A binary patch of everything uncommitted, untracked files included, on standard output, cut at `maxBytes`. */
export function patchSpec(target: ExtractionTarget, maxBytes: number): OneShotSpec {
  return spec(target, 'patch', [String(maxBytes)], maxBytes);
}

/** What a patch lacks, for the log; `null` for a whole one. */
export function patchLoss(
  { stdout, stderr }: Pick<OneShotResult, 'stdout' | 'stderr'>,
  maxBytes: number,
): string | null {
  // git writes there, too, and may name files of the agent's.
  const left = new RegExp(`^${LEFT_OUT} (\\d{1,9})$`, 'm').exec(stderr)?.[1];
  const files = left === undefined ? [] : [`${left} untracked left out`];
  const cut =
    stdout.length < maxBytes ? [] : [`cut at ${String(maxBytes)} bytes, so that git cannot apply it`];
  const losses = [...cut, ...files];
  return losses.length === 0 ? null : losses.join('; ');
}

/** Why an extractor container failed, in words an agent can act on; `undefined` for an exit code that is not its own. */
export function extractionFailure(exitCode: number): string | undefined {
  return EXIT_REASONS[exitCode];
}

function spec(
  target: ExtractionTarget,
  mode: string,
  values: readonly string[],
  maxOutputBytes: number,
): OneShotSpec {
  if (!isBranchName(target.branch)) {
    throw new InvalidInputError(`"${target.branch}" cannot be the branch of a run`);
  }
  return {
    name: target.name,
    slug: target.slug,
    image: target.image,
    argv: ['/bin/sh', '-c', EXTRACTOR_SCRIPT, 'extract', mode, target.branch, ...values],
    user: 'agent',
    mounts: [
      { source: target.workspaceDir, target: '/workspace', readOnly: true },
      ...(target.boundaryFile === null
        ? []
        : [{ source: target.boundaryFile, target: BOUNDARY_TARGET, readOnly: true }]),
    ],
    env: {},
    timeoutMs: target.timeoutMs,
    maxOutputBytes,
  };
}

/**
 * Reads an extractor's output, which an agent may have had a hand in: nothing is believed that does not have its shape.
 * Errors: `InvalidInputError`.
 */
export function parseExtraction(bytes: Uint8Array): Extraction {
  const { inspection, rest } = readReport(bytes);
  const flag = new TextDecoder().decode(rest.subarray(0, 2));
  if (flag === '0\0' && rest.length === 2) return { inspection, bundle: null };
  if (flag === '1\0' && rest.length > 2) return { inspection, bundle: rest.subarray(2) };
  throw malformed('no bundle mark');
}

function readReport(bytes: Uint8Array): { readonly inspection: Inspection; readonly rest: Uint8Array } {
  const fields: string[] = [];
  let offset = 0;
  while (fields.length < 4) {
    const end = bytes.subarray(offset, offset + 64).indexOf(0);
    if (end < 0) throw malformed('a field is missing or too long');
    fields.push(new TextDecoder().decode(bytes.subarray(offset, offset + end)));
    offset += end + 1;
  }
  const [magic = '', head = '', stuck = '', length = ''] = fields;
  if (magic !== MAGIC) throw malformed('not a report');
  if (!SHA.test(head)) throw malformed('bad head');
  if (stuck !== '-' && !SHA.test(stuck)) throw malformed('bad hash of STUCK.md');
  const size = /^\d{1,6}$/.test(length) ? Number(length) : Number.NaN;
  if (!(size <= STATUS_BYTES) || offset + size > bytes.length) throw malformed('bad length of the list');
  const uncommitted = statusPaths(bytes.subarray(offset, offset + size));
  return {
    inspection: { head, stuck: stuck === '-' ? null : stuck, uncommitted },
    rest: bytes.subarray(offset + size),
  };
}

/** `git status --porcelain -z --no-renames`: two letters, a space, the path, NUL; what follows the last NUL was cut. */
function statusPaths(bytes: Uint8Array): readonly string[] {
  return new TextDecoder()
    .decode(bytes)
    .split('\0')
    .slice(0, -1)
    .slice(0, MAX_UNCOMMITTED_PATHS)
    .filter((entry) => /^[ A-Z?!]{2} /.test(entry) && entry.length > 3)
    .map((entry) => entry.slice(3, 3 + MAX_PATH_LENGTH).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '\uFFFD'));
}

function malformed(what: string): InvalidInputError {
  return new InvalidInputError(`malformed extractor output: ${what}`);
}
