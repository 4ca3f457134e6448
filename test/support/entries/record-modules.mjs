/**
 * Given to node with --import: writes the path of every module that the process loads into the file that
 * BOT_BOTTLE_TEST_MODULES names, one a line. Modules of either kind: `import` goes through the hooks, the cache at the
 * end has what CommonJS modules require of each other.
 */
import { appendFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';

register('./record-imports.mjs', import.meta.url);
const require = createRequire(import.meta.url);
process.on('exit', () => {
  const file = process.env['BOT_BOTTLE_TEST_MODULES'];
  if (process.env['BOT_BOTTLE_PART_OF_UP'] === process.env['BOT_BOTTLE_TEST_PART'] && file !== undefined)
    appendFileSync(file, [...Object.keys(require.cache), 'end', ''].join('\n'));
});
