/**
 * Text of a forge or an agent made harmless for a terminal: what would move the cursor, set colours or titles, or
 * reorder what is read (Unicode bidi, UTS #39) is shown as `\u{1b}` instead of done. Printable text stays as it is.
 */
export function escapeTerminal(text: string): string {
  return text.replace(UNSAFE, visible);
}

/** The same for text of several lines: newlines and tabs stay. */
export function escapeTerminalLines(text: string): string {
  return text.replace(UNSAFE, (char) => (char === '\n' || char === '\t' ? char : visible(char)));
}

/** What a terminal would act on or hide, as JSON's own escapes: the document stays the same. */
export function escapeJson(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029]|\p{Cf}/gu, (char) =>
    char.length === 1 ? escapedUnit(char, 0) : escapedUnit(char, 0) + escapedUnit(char, 1),
  );
}

function escapedUnit(char: string, index: number): string {
  return `\\u${char.charCodeAt(index).toString(16).padStart(4, '0')}`;
}

// Cc control, Cf format (bidi, zero width, tags), Cs lone surrogate, Zl and Zp line and paragraph separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function visible(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
