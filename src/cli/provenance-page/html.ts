import { escapeTerminalLines } from '../../domain/text/escape.js';

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

type Piece = string | number | null | Html | readonly (Html | string)[];

/** Everything that is put into the template is text and is escaped, unless it was made by this. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(
    parts.map((part, index) => part + (index < pieces.length ? shown(pieces[index]) : '')).join(''),
  );
}

function shown(piece: Piece | undefined): string {
  if (piece === undefined || piece === null) return '–';
  if (piece instanceof Html) return piece.text;
  if (typeof piece === 'object') return piece.map(shown).join('');
  return escaped(String(piece));
}

/** What would hide or reorder text is shown as `\u{202e}`. */
function escaped(text: string): string {
  return escapeTerminalLines(text).replace(/[&<>"']/g, (char) => `&#${String(char.charCodeAt(0))};`);
}
