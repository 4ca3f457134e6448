import type { Key } from './state.js';

/** How many entries or lines a key moves by; `undefined` when it moves nothing. */
export function stepOf({ name, text }: Key, page: number): number | undefined {
  if (name === 'up' || text === 'k') return -1;
  if (name === 'down' || text === 'j') return 1;
  if (name === 'page_up') return -page;
  if (name === 'page_down' || text === ' ') return page;
  if (name === 'home' || text === 'g') return -Infinity;
  if (name === 'end' || text === 'G') return Infinity;
  return undefined;
}
