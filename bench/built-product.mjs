/**
 * Given to node with --import, after tsx: what is imported of `src` is taken from `dist`, so that the product is measured as it
 * is shipped. What tsx makes of a function that is made at each call takes longer.
 */
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const SRC = new URL('../src/', import.meta.url).href;
const DIST = new URL('../dist/', import.meta.url).href;

// The hook below runs in a thread of node's own.
if (isMainThread) register(import.meta.url);

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, next) {
  const isRelative = /^\.\.?\//.test(specifier) && context.parentURL !== undefined;
  const url = isRelative ? new URL(specifier, context.parentURL).href : specifier;
  return next(url.startsWith(SRC) ? DIST + url.slice(SRC.length) : specifier, context);
}
