/** The hooks of record-modules.mjs, which node runs in a thread of their own. */
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// A part of `up` inherits all this, and is another process than the one that is looked at, unless it is named.
const isLookedAt = process.env['BOT_BOTTLE_PART_OF_UP'] === process.env['BOT_BOTTLE_TEST_PART'];

export async function load(url, context, next) {
  const file = process.env['BOT_BOTTLE_TEST_MODULES'];
  if (isLookedAt && file !== undefined && url.startsWith('file:'))
    appendFileSync(file, `${fileURLToPath(url)}\n`);
  return next(url, context);
}
