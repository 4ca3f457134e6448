/** What a document says of other files: links, anchors, and paths in code. */
import path from 'node:path';
import { readPage, type Page } from './markdown.js';
import type { Tree } from './tree.js';

export interface World {
  readonly tree: Tree;
  /** A document's text, for its anchors. */
  readonly read: (file: string) => string;
}

/** Where a path in code begins: the folders of the repository that documents speak of. */
const PATH = /(?<![\w./$~-])(?:script|src|test|docs|images|manifests|bench)\/[\w./*-]*/g;
/** In a path: stands for a number. */
const PLACEHOLDER = 'NNNN';

/** Everything in the document that leads nowhere, one sentence each. */
export function problemsOf(file: string, text: string, world: World): string[] {
  const page = readPage(text);
  return [
    ...page.links.flatMap(({ line, target }) => {
      const why = whyBroken(file, target, page, world);
      return why === undefined ? [] : [`${file}:${String(line)}: ${target}: ${why}`];
    }),
    ...page.code.flatMap(({ line, text: code }) =>
      pathsIn(code)
        .filter((named) => !isThere(named, world.tree))
        .map((named) => `${file}:${String(line)}: ${named} is not there`),
    ),
  ];
}

function whyBroken(file: string, target: string, own: Page, world: World): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return undefined;
  const [address = '', anchor] = target.split('#');
  const linked = address === '' ? file : path.posix.join(path.posix.dirname(file), address);
  const found = linked.replace(/\/$/, '');
  if (address.startsWith('/') || !world.tree.has(found)) return 'no such file';
  if (anchor === undefined) return undefined;
  if (!found.endsWith('.md')) return 'an anchor in what is no document';
  const { anchors } = found === file ? own : readPage(world.read(found));
  return anchors.has(anchor) ? undefined : 'no such heading';
}

/** The paths of ours that a piece of code names. */
export function pathsIn(code: string): string[] {
  return (
    [...code.matchAll(PATH)]
      // A `<` behind it: the rest is for the reader to fill in.
      .filter(({ 0: found, index }) => !'<{$'.includes(code.charAt(index + found.length) || ' '))
      .map(([found]) => found.replace(/[./]+$/, ''))
      .filter((found) => !found.includes(PLACEHOLDER))
  );
}

function isThere(named: string, tree: Tree): boolean {
  if (!named.includes('*')) return tree.has(named);
  const pattern = named
    .split(/(\*\*\/?|\*)/)
    .map((part) => (part.startsWith('**') ? '.*' : part === '*' ? '[^/]*' : part.replace(/[.]/g, '\\.')))
    .join('');
  const glob = new RegExp(`^${pattern}$`);
  return tree.files.some((file) => glob.test(file));
}
