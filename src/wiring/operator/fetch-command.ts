import { existsSync } from 'node:fs';
import path from 'node:path';
import { runLayout } from '../../adapters/files/run/run-layout.js';
import { WORK_BUNDLE } from '../../domain/run/run-files.js';
import { localBranchOf } from '../../domain/run/slug.js';

/** How an operator gets what a run without an issue has made, in a clone of what it began from; `null` without anything. */
export function fetchCommand(home: string, slug: string): string | null {
  const branch = localBranchOf(slug);
  if (branch === undefined) return null;
  const file = path.join(runLayout(home, slug).root, WORK_BUNDLE);
  return existsSync(file) ? `git fetch ${quoted(file)} ${branch}:${branch}` : null;
}

/** For a shell, only where it has to be. */
function quoted(file: string): string {
  return /^[\w./@%+=:,-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}
