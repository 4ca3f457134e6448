/** The package has these types, and not beside the file they describe. Its version is pinned; a test notices a change. */
declare module 'tldts/dist/cjs/src/data/trie.js' {
  export const edgeStart: Uint16Array;
  export const edgeLength: Uint8Array;
  export const edgeChild: Uint16Array;
  export const labelText: string;
  export const rulesRoot: number;
}
