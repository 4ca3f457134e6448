/** `encodeURIComponent` for any text: a lone surrogate, for which that throws, is what UTF-8 writes for it, U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\uFFFD'));
}
