/** Segments of a path, and escapes of what needs none and means nothing special to anybody. */
const PATH = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}|\/)*$/;
/** Visible ASCII, and no second `#`, which would start a fragment, or backslash. */
const QUERY = /^[!"$-[\]-~]*$/;
const ESCAPED_SLASH = /%2f/gi;
/**
 * One or two dots at the beginning of a segment, with nothing behind them that a name goes on with. What else stands
 * there is cut off somewhere: parameters and what would begin a query, blanks, a stream's colon, what cannot be seen.
 */
const DOT_SEGMENT = /^[\s\p{C}]*\.{1,2}(?![\p{L}\p{N}._~-])/u;

/**
 * Why a request's path is not one that every server reads in the same way, so that what was checked here is what is
 * asked for there. Refused: dot segments, also with something behind the dots that some servers cut off (`..;x`,
 * `..%3b`, `..%20`) and with wide dots, empty segments, backslashes, control characters, escapes of dots, percent signs
 * and backslashes, escapes that are no UTF-8, and bytes beyond ASCII. `%2f` is let through, because npm names scoped
 * packages by it; whoever checks a list must check both readings (`isListedPath` does).
 * @param path as it stands in the request, without its query
 */
export function whyNotPlainPath(path: string): string | undefined {
  if (!path.startsWith('/')) return 'does not begin with a slash';
  if (!PATH.test(path)) return 'has characters that do not belong in a path';
  for (const [escape] of path.matchAll(/%[0-9A-Fa-f]{2}/g)) {
    const code = Number.parseInt(escape.slice(1), 16);
    if (code < 0x20 || code === 0x7f || '.%\\'.includes(String.fromCharCode(code)))
      return `has ${escape}, which servers read differently`;
  }
  const text = textOf(path);
  if (text === undefined) return 'has escapes that are no text';
  if (text.split(/[/\\]/).some((segment) => DOT_SEGMENT.test(segment))) return 'has dot segments';
  const segments = unescapedSlashes(path).split('/').slice(1);
  // One slash at the end is fine.
  if (segments.slice(0, -1).includes('')) return 'has two slashes in a row';
  return undefined;
}

/** Why a query is none. @param query without its `?` */
export function whyNotPlainQuery(query: string): string | undefined {
  return QUERY.test(query) ? undefined : 'has characters that do not belong in a query';
}

/**
 * A route's list: exact paths, and everything below one that ends in `/`. A path with `%2f` must be listed as it is and
 * with slashes in their place.
 * @param path a plain one, see `whyNotPlainPath`
 */
export function isListedPath(listed: readonly string[], path: string): boolean {
  return [path, unescapedSlashes(path)].every((reading) =>
    listed.some((entry) => (entry.endsWith('/') ? reading.startsWith(entry) : reading === entry)),
  );
}

/**
 * As a server may read it that decodes everything, and takes wide dots and slashes for plain ones. Each character by
 * itself: to order the marks of a long text takes the square of its length.
 */
function textOf(path: string): string | undefined {
  try {
    return decodeURIComponent(path).replace(/\P{ASCII}/gu, (character) => character.normalize('NFKC'));
  } catch {
    return undefined;
  }
}

function unescapedSlashes(path: string): string {
  return path.replace(ESCAPED_SLASH, '/');
}
