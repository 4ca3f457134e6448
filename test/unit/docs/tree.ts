/** The repository's own files, as the documents name them. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

/** Made, installed or somebody's own. */
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.tmp']);

export interface Tree {
  /** Relative paths with `/`. */
  readonly files: readonly string[];
  /** Files and the directories that they are in. */
  has(relativePath: string): boolean;
}

export function readTree(root: string = ROOT): Tree {
  const files: string[] = [];
  const visit = (directory: string): void => {
    for (const entry of readdirSync(path.join(root, directory), { withFileTypes: true })) {
      const name = path.posix.join(directory, entry.name);
      if (!entry.isDirectory()) files.push(name);
      else if (!SKIPPED.has(entry.name)) visit(name);
    }
  };
  visit('');
  return treeOf(files);
}

export function treeOf(files: readonly string[]): Tree {
  const known = new Set(files);
  for (const file of files) {
    for (let up = path.posix.dirname(file); up !== '.'; up = path.posix.dirname(up)) known.add(up);
  }
  return { files, has: (relativePath) => known.has(relativePath) };
}
