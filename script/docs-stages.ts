/** Writes docs/stages.md: what each event does in each stage of a run. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { stagesMarkdown } from '../test/support/machine/stages-page.js';

const file = fileURLToPath(new URL('../docs/stages.md', import.meta.url));
const style = await resolveConfig(file);
writeFileSync(file, await format(stagesMarkdown(), { ...style, filepath: file }));
