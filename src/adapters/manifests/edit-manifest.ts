import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, parseDocument, type Document, type YAMLMap, type YAMLSeq } from 'yaml';
import { formatAllowEntry, readAllowEntry } from '../../domain/egress/allowlist.js';
import { DEFAULT_OUTPUT_TOKENS } from '../../domain/egress/model-rule.js';
import type { ModelRule, Route, RouteAuth } from '../../domain/egress/route.js';
import type { EgressChange } from '../../domain/supervise/config-change.js';

/** Ways to write YAML: the one under which a file stays as it is when nothing is changed is the writer's own. */
const STYLES = [true, false].flatMap((indentSeq) =>
  [true, false].flatMap((flowCollectionPadding) =>
    [2, 4].map((indent) => ({ indentSeq, flowCollectionPadding, indent, lineWidth: 0 })),
  ),
);
/** Keys of `routes[]` in the order in which a new one is written. */
const ROUTE_KEYS = [
  ...['name', 'upstream', 'methods', 'paths', 'auth', 'base_url_env', 'key_env', 'rewrite', 'model'],
] as const;

/**
 * The text of a manifest with the change in its front matter; comments, order and style stay. Nothing but what the change
 * says comes into it.
 * @param text of a manifest that was read before
 */
export function editedManifest(text: string, change: EgressChange): string {
  const [from, to] = frontMatterOf(text);
  const before = text.slice(from, to);
  const yaml = before.replaceAll('\r\n', '\n');
  const document = parseDocument(yaml);
  document.contents ??= document.createNode({}) as unknown as NonNullable<typeof document.contents>;
  const wasChanged =
    change.kind === 'allowlist' ? changeAllowlist(document, change) : changeRoutes(document, change);
  if (!wasChanged) return text;
  const style = STYLES.find((one) => parseDocument(yaml).toString(one) === yaml) ?? STYLES[0];
  const after = document.toString(style);
  return (
    text.slice(0, from) + (before.includes('\r\n') ? after.replaceAll('\n', '\r\n') : after) + text.slice(to)
  );
}

/** Where it begins and ends, between two lines `---`. */
function frontMatterOf(text: string): readonly [number, number] {
  const from = text.indexOf('\n') + 1;
  const end = /^---[^\S\n]*$/m.exec(text.slice(from));
  return [from, from + (end?.index ?? 0)];
}

function changeAllowlist(
  document: Document,
  { add, remove }: Extract<EgressChange, { readonly kind: 'allowlist' }>,
): boolean {
  const list = listAt(document, ['egress', 'allow']);
  const lineOf = (item: unknown): string => normalised(isScalar(item) ? String(item.value) : '');
  const before = list.items.length;
  list.items = list.items.filter((item) => !remove.includes(lineOf(item)));
  const removed = before - list.items.length;
  const has = new Set(list.items.map(lineOf));
  const added = add.filter((line) => !has.has(line));
  for (const line of added) list.add(document.createNode(line));
  if (removed + added.length > 0) document.setIn(['egress', 'allow'], list);
  return removed + added.length > 0;
}

function changeRoutes(
  document: Document,
  { set, remove }: Extract<EgressChange, { readonly kind: 'routes' }>,
): boolean {
  const list = listAt(document, ['routes']);
  const nameOf = (item: unknown): unknown => (isMap(item) ? item.get('name') : undefined);
  const before = list.items.length;
  list.items = list.items.filter((item) => !remove.some((name) => name === nameOf(item)));
  let wasChanged = list.items.length < before;
  for (const route of set) {
    const wanted = entryOf(route);
    const found = list.items.find((item): item is YAMLMap => isMap(item) && nameOf(item) === route.name);
    if (found === undefined) list.add(document.createNode(wanted));
    const hasChanged = found === undefined || changeRoute(document, found, wanted);
    wasChanged ||= hasChanged;
  }
  if (wasChanged) document.setIn(['routes'], list);
  return wasChanged;
}

/** Key by key, so that comments beside what stays are kept. */
function changeRoute(document: Document, map: YAMLMap, wanted: Readonly<Record<string, unknown>>): boolean {
  const now = map.toJSON() as Readonly<Record<string, unknown>>;
  const changed = ROUTE_KEYS.filter((key) => !isDeepStrictEqual(now[key], wanted[key]));
  for (const key of changed)
    if (wanted[key] === undefined) map.delete(key);
    else map.set(key, document.createNode(wanted[key]));
  return changed.length > 0;
}

/** Where a list is expected, a manifest may have a single text. */
function listAt(document: Document, path: readonly string[]): YAMLSeq {
  const node = document.getIn(path, true);
  if (isSeq(node)) return node;
  const list = document.createNode([]) as YAMLSeq;
  list.flow = false;
  if (isScalar(node)) list.add(node);
  return list;
}

/** A route as a manifest says it: what is the default is left out. */
function entryOf(route: Route): Readonly<Record<string, unknown>> {
  const { name, upstream, methods, paths, auth, baseUrlEnv, keyEnv, rewrite, model } = route;
  const usual = model === null ? ['GET', 'HEAD'] : ['POST'];
  return {
    name,
    upstream,
    ...(isDeepStrictEqual(methods, usual) ? {} : { methods }),
    ...(isDeepStrictEqual(paths, ['/']) ? {} : { paths }),
    ...(auth === null ? {} : { auth: authOf(auth) }),
    ...(baseUrlEnv === null ? {} : { base_url_env: baseUrlEnv }),
    ...(keyEnv === null ? {} : { key_env: keyEnv }),
    ...(rewrite ? { rewrite } : {}),
    ...(model === null ? {} : { model: modelOf(model) }),
  };
}

function authOf({ header, prefix, secret }: RouteAuth): object {
  const usual = header === 'authorization' ? 'Bearer ' : '';
  return {
    ...(header === 'authorization' ? {} : { header }),
    ...(prefix === usual ? {} : { prefix }),
    secret,
  };
}

function modelOf({ api, models, maxOutputTokens, allow }: ModelRule): object {
  return {
    api,
    models,
    ...(maxOutputTokens === DEFAULT_OUTPUT_TOKENS ? {} : { max_output_tokens: maxOutputTokens }),
    ...(allow.length === 0 ? {} : { allow }),
  };
}

/** As the reader does it. */
function normalised(text: string): string {
  const entry = readAllowEntry(text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  return 'problem' in entry ? text : formatAllowEntry(entry);
}
