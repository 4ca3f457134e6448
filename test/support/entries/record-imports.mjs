/** The hooks of record-modules.mjs, which node runs in a thread of their own. */
import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export async function load(url, context, next) {
  const file = process.env['BOT_BOTTLE_TEST_MODULES'];
  if (file !== undefined && url.startsWith('file:')) appendFileSync(file, `${fileURLToPath(url)}\n`);
  return next(url, context);
}
