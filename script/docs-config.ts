/** Writes docs/configuration.md from the table of settings. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { configurationMarkdown } from './lib/docs/configuration.js';

const file = fileURLToPath(new URL('../docs/configuration.md', import.meta.url));
const style = await resolveConfig(file);
writeFileSync(file, await format(configurationMarkdown(), { ...style, filepath: file }));
