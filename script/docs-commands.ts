/** Writes docs/commands.md from what the program says of itself. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { cliWith } from '../test/unit/cli/small-world.js';
import { commandsMarkdown } from './lib/docs/commands-markdown.js';

const file = fileURLToPath(new URL('../docs/commands.md', import.meta.url));
const style = await resolveConfig(file);
writeFileSync(file, await format(await commandsMarkdown(cliWith({}).run), { ...style, filepath: file }));
