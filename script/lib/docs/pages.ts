import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { stagesMarkdown } from '../../../test/support/machine/stages-page.js';
import { commandsMarkdown } from './commands-markdown.js';
import { configurationMarkdown } from './configuration.js';

/** The pages of docs/ that are generated: `npm run docs:…` writes them, a test compares them. */
const PAGES = {
  /** What the program says of itself. */
  commands: commandsMarkdown,
  /** The table of settings. */
  configuration: configurationMarkdown,
  /** What each event does in each stage of a run. */
  stages: stagesMarkdown,
};

type PageName = keyof typeof PAGES;

export const PAGE_NAMES = Object.keys(PAGES) as PageName[];

/** The page's file, and what is to be in it. */
export async function pageOf(name: PageName): Promise<{ readonly file: string; readonly text: string }> {
  const file = fileURLToPath(new URL(`../../../docs/${name}.md`, import.meta.url));
  const style = await resolveConfig(file);
  return { file, text: await format(PAGES[name](), { ...style, filepath: file }) };
}
