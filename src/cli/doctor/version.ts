/** Whether a dotted version, wherever it stands in the text, is at least the wanted one; `undefined` when there is none. */
export function atLeast(text: string, wanted: readonly number[]): boolean | undefined {
  const match = /\d+(?:\.\d+)*/.exec(text);
  if (match === null) return undefined;
  const parts = match[0].split('.').map(Number);
  for (const [index, want] of wanted.entries()) {
    const have = parts[index] ?? 0;
    if (have !== want) return have > want;
  }
  return true;
}
