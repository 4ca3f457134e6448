/** Writes the generated pages of docs/, or only the one that is named. */
import { writeFileSync } from 'node:fs';
import { PAGE_NAMES, pageOf } from './lib/docs/pages.js';

const [only] = process.argv.slice(2);
for (const name of PAGE_NAMES) {
  if (only !== undefined && only !== name) continue;
  const { file, text } = await pageOf(name);
  writeFileSync(file, text);
}
