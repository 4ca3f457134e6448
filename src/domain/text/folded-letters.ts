/**
 * For comparing as a system does that folds letters: all are small, so `ſ`, which is small already, counts as the `s` that it
 * is a form of, and the wide `ｇ` as `g`.
 */
export function foldedLetters(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase();
}
