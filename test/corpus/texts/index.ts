import { ACTED_ON } from './acted-on.js';
import { CONFUSING } from './confusing.js';
import { LOADING } from './loading.js';
import type { TextCase } from './text-case.js';

/** Texts of agents that must do nothing once they are posted. */
export const HOSTILE_TEXTS: readonly TextCase[] = [...LOADING, ...ACTED_ON, ...CONFUSING];

/** With the forge's own address in it. */
export function onForge({ name, text }: TextCase, forge: string): TextCase {
  return { name, text: text.replaceAll('{forge}', forge) };
}
