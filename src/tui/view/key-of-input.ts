import type { Key as InkKey } from 'ink';
import type { Key } from '../model/state.js';

const NAMES = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'page_up'],
  ['pageDown', 'page_down'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  // What most terminals send for the key that says backspace.
  ['delete', 'backspace'],
] as const satisfies readonly (readonly [keyof InkKey, Key['name']])[];

/** A key as ink tells it; `undefined` for those that mean nothing here. */
export function keyOfInput(input: string, key: InkKey): Key | undefined {
  if (key.ctrl) return input === 'c' ? { name: 'interrupt', text: '' } : undefined;
  const named = NAMES.find(([from]) => key[from]);
  if (named !== undefined) return { name: named[1], text: '' };
  return input === '' || key.meta ? undefined : { name: 'text', text: input };
}
