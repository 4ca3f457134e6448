/** The hooks of record-modules.mjs, which node runs in a thread of their own. */
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export async function load(url, context, next) {
  const file = process.env['BOT_BOTTLE_TEST_MODULES'];
  // A part of `up` inherits all this, and is another process than the one that is looked at.
  if (process.env['BOT_BOTTLE_PART_OF_UP'] === undefined && file !== undefined && url.startsWith('file:'))
    appendFileSync(file, `${fileURLToPath(url)}\n`);
  return next(url, context);
}
