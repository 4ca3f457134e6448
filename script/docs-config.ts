/** Writes docs/configuration.md from the table of settings. */
import { writeFileSync } from 'node:fs';
import { configurationMarkdown } from '../src/config/markdown.js';

writeFileSync(new URL('../docs/configuration.md', import.meta.url), configurationMarkdown());
