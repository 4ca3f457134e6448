/** What a line that was longer than the log keeps ends with. */
const CUT = / \[\d{1,15} more bytes of this line are not kept\]$/;
const LONGEST_MARK = 64;

/**
 * JSON of what is left of an object whose line was cut: the values that are whole, with everything closed after the last of
 * them. An object or list that was cut keeps what it has so far. `undefined` for a line that was not cut or has no object.
 */
export function uncutJson(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const mark = CUT.exec(line.slice(-LONGEST_MARK));
  return mark === null ? undefined : closed(line.slice(0, line.length - mark[0].length));
}

/** The text up to its last whole value, and the brackets that are open there: none is opened or closed after it. */
function closed(text: string): string {
  const open: string[] = [];
  let end = 0;
  for (let i = 0; i < text.length; i += 1) {
    switch (text[i]) {
      case '"':
        i = endOfString(text, i);
        break;
      case '{':
      case '[':
        open.push(text[i] === '{' ? '}' : ']');
        end = i + 1;
        break;
      case '}':
      case ']':
        open.pop();
        end = i + 1;
        break;
      case ',':
        end = i;
        break;
      default:
    }
  }
  return text.slice(0, end) + open.toReversed().join('');
}

/** Index of the quote that ends the string, or of the text's end. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
