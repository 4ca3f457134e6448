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

// Cc control, Cf format (bidi, zero width, tags), Cs lone surrogate, Zl and Zp line and paragraph separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function visible(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
