import { join } from 'node:path';
import { InvalidInputError } from '../../../domain/base/errors.js';
import type { RunPaths } from '../../../domain/run/run-files.js';
import { isSlug } from '../../../domain/run/slug.js';

/** Where everything of a run lies below `$BOT_BOTTLE_HOME/state/<slug>`. */
export interface RunLayout extends RunPaths {
  readonly bundle: string;
  readonly queue: string;
  /** Message files that were refused, outside what the bundle can reach. */
  readonly queueRejected: string;
  readonly turns: string;
  /** What the queue of an ended run left. */
  readonly archive: string;
}

/** Errors: `InvalidInputError` for what is no slug; nothing else ever becomes part of a path. */
export function runLayout(home: string, slug: string): RunLayout {
  if (!isSlug(slug)) throw new InvalidInputError(`not a run's slug: ${JSON.stringify(slug)}`);
  const root = join(home, 'state', slug);
  const queue = join(root, 'queue');
  return {
    root,
    workspace: join(root, 'workspace'),
    turnInput: join(root, 'turn'),
    bundle: join(root, 'bundle'),
    bundleToken: join(root, 'bundle', 'forge-token'),
    bundleSecrets: join(root, 'bundle', 'secrets'),
    currentConfig: join(root, 'config'),
    queue,
    queueOut: join(queue, 'out'),
    queueIn: join(queue, 'in'),
    queueRejected: join(queue, 'rejected'),
    transcript: join(root, 'transcript'),
    turns: join(root, 'turns'),
    archive: join(root, 'archive'),
  };
}

/** Errors: `InvalidInputError`. */
export function turnDirectory(layout: RunLayout, turn: number): string {
  if (!Number.isSafeInteger(turn) || turn < 1) throw new InvalidInputError(`not a turn: ${String(turn)}`);
  return join(layout.turns, String(turn));
}

/** Directories that somebody else than the host writes in, or that have a writer of their own. */
const NOT_FOR_FILES = new Set(['workspace', 'queue', 'turn', 'bundle', 'config']);
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** @throws InvalidInputError for absolute paths, `..`, and what is not below the run's directory and the host's alone */
export function requireHostsPath(relativePath: string): string {
  const segments = relativePath.split('/');
  const [first = ''] = segments;
  if (segments.every((segment) => SEGMENT.test(segment)) && !NOT_FOR_FILES.has(first)) return relativePath;
  throw new InvalidInputError(`not a file of a run: ${JSON.stringify(relativePath)}`);
}
