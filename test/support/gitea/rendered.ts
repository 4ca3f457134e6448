import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** Attributes that a browser fetches by itself, on whatever element. */
const LOADING = [
  'src',
  'srcset',
  'poster',
  'background',
  'data',
  'code',
  'codebase',
  'classid',
  'archive',
  'icon',
];
const LOADING_TOO = [
  'manifest',
  'cite',
  'longdesc',
  'profile',
  'lowsrc',
  'dynsrc',
  'imagesrcset',
  'action',
  'formaction',
  'ping',
];
/** Elements whose address loads; a link's is only followed. */
const LOADING_HREF = new Set(['link', 'image', 'use', 'feimage', 'base', 'script', 'animate', 'set']);
/** Never harmless in a page. */
const ACTIVE = new Set([
  'script',
  'style',
  'link',
  'base',
  'meta',
  'iframe',
  'frame',
  'object',
  'embed',
  'applet',
  'form',
  'portal',
]);

/**
 * What a page of the forge with this HTML would do by itself: what it loads from elsewhere, and what the forge found to be a
 * reference, a mention or a keyword. Empty when it is only read.
 */
export function liveIn(html: string, forge: string): string[] {
  return [...elementsOf(parseFragment(html).childNodes)].flatMap((element) => [
    ...loads(element, forge),
    ...acted(element),
  ]);
}

/** The texts of its code, spans and blocks. */
export function codeOf(html: string): string[] {
  return [...elementsOf(parseFragment(html).childNodes)]
    .filter(({ tagName }) => tagName === 'code')
    .map((code) => [...nodesOf(code.childNodes)].map((node) => ('value' in node ? node.value : '')).join(''));
}

export function* elementsOf(nodes: readonly Node[]): Generator<Element> {
  for (const node of nodesOf(nodes)) if ('tagName' in node) yield node;
}

function* nodesOf(nodes: readonly Node[]): Generator<Node> {
  for (const node of nodes) {
    yield node;
    if ('content' in node) yield* nodesOf(node.content.childNodes);
    if ('childNodes' in node) yield* nodesOf(node.childNodes);
  }
}

function loads({ tagName, attrs }: Element, forge: string): string[] {
  const found = ACTIVE.has(tagName) ? [`<${tagName}>`] : [];
  for (const { name, value } of attrs) {
    const attribute = name.toLowerCase().replace(/^xlink:/, '');
    const fetches =
      LOADING.includes(attribute) ||
      LOADING_TOO.includes(attribute) ||
      (attribute === 'href' && LOADING_HREF.has(tagName.toLowerCase()));
    const addresses = attribute.endsWith('srcset') ? value.split(',') : [value];
    if (fetches && addresses.some((one) => isForeign(one.trim(), forge)))
      found.push(`${tagName}[${name}=${value}]`);
    if (attribute === 'style' && /url|image|@import|expression|\\/i.test(value)) found.push(`style ${value}`);
    if (attribute === 'autoplay' || attribute.startsWith('on') || attribute === 'http-equiv')
      found.push(`${tagName}[${name}]`);
  }
  return found;
}

function isForeign(address: string, forge: string): boolean {
  try {
    return new URL(address, `${forge}/a/b/`).origin !== new URL(forge).origin;
  } catch {
    return true;
  }
}

/** By the marks that Gitea gives to what it made itself. */
function acted(element: Element): string[] {
  const { tagName, attrs, childNodes } = element;
  const of = (wanted: string): string => attrs.find(({ name }) => name === wanted)?.value ?? '';
  const found = of('class')
    .split(/\s+/)
    .filter((name) => ACTED.has(name));
  const [first] = childNodes;
  const begins = first !== undefined && 'value' in first ? first.value : '';
  if (
    tagName === 'a' &&
    attrs.some(({ name }) => name === 'data-markdown-generated-content') &&
    begins.startsWith('@')
  )
    found.push(`mention ${begins}`);
  return found;
}

const ACTED = new Set([
  'ref-issue',
  'ref-external-issue',
  'issue-keyword',
  'mention',
  'code-preview-container',
  'file-preview-box',
  // Drawn in the page by a program that may load images.
  'language-mermaid',
]);
