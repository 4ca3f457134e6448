import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SETTINGS } from '../../../src/config/settings.js';
import { cliWith } from '../cli/small-world.js';
import { readPage, type Code } from './markdown.js';
import { ROOT, readTree } from './tree.js';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

/** What `@temporalio/envconfig` reads, as far as the documents name it. */
const TEMPORALS_OWN = ['TEMPORAL_API_KEY', 'TEMPORAL_TLS'];
/** Where a variable that is no setting may come from. */
const OTHER_SOURCES = ['docker-compose.yml', 'images/agent/entrypoint', 'images/agent/scripted/agent.mjs'];

describe('what the documents name', () => {
  const code: Code[] = readTree()
    .files.filter((file) => file.endsWith('.md'))
    .flatMap((file) => readPage(read(file)).code);
  const texts = code.map(({ text }) => text);
  /** Every match of the pattern's first group, each once. */
  const named = (pattern: RegExp): string[] => [
    ...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name))),
  ];

  it('are settings or variables that exist', () => {
    const others = OTHER_SOURCES.map(read).join('\n');
    const names = named(/(?<![\w$])((?:FORGE|BOTTLE|BUNDLE|WEBHOOK|TEMPORAL)_[A-Z_]*[A-Z])(?![\w])/g);
    assert.ok(names.length > 20);
    const unknown = names.filter(
      (name) =>
        !Object.hasOwn(SETTINGS, name) &&
        !TEMPORALS_OWN.includes(name) &&
        !new RegExp(`\\b${name}\\b`).test(others),
    );
    assert.deepEqual(unknown, []);
  });

  it('are npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> };
    const names = named(/\bnpm run ([a-z][a-z0-9:-]*)/g);
    assert.ok(names.length > 2);
    assert.deepEqual(
      names.filter((name) => !Object.hasOwn(scripts, name)),
      [],
    );
  });

  it('are parts of set-up and of the tests that exist', () => {
    const wordsIn = (file: string, pattern: RegExp): string[] =>
      [...read(file).matchAll(pattern)].flatMap(([, words = '']) => words.split(' '));
    const setUp = wordsIn('script/bootstrap', /^(?:PARTS|SETS)=\((.*)\)$/gm);
    const suites = wordsIn('script/test', /^(?:CHECKS|TASKS)=\((.*)\)$/gm).map((task) => task.split(':')[0]);
    const asked = named(/script\/bootstrap --only[ =]([a-z,-]+)/g).flatMap((list) => list.split(','));
    const run = named(/script\/test ((?:[a-z0-9]+ ?)+)/g).flatMap((list) => list.trim().split(' '));
    assert.ok(setUp.length > 5 && suites.length > 5 && asked.length > 3 && run.length > 1);
    assert.deepEqual(
      [...asked.filter((part) => !setUp.includes(part)), ...run.filter((part) => !suites.includes(part))],
      [],
    );
  });

  it('are commands that exist', async () => {
    const commands = named(
      /(?:^|[\s"])(?:bot-bottle|docker compose run --rm worker) ([a-z]+(?: [a-z][a-z-]*)?)/g,
    );
    assert.ok(commands.length > 5, commands.join());
    const unknown: string[] = [];
    for (const command of commands) if (!(await isCommand(command))) unknown.push(command);
    assert.deepEqual(unknown, []);
    assert.equal(await isCommand('agents lend'), false);
    assert.equal(await isCommand('orchestrate begin'), false);
  });
});

/** Words that lead to a command of the program: its help then has the words in its first line. */
async function isCommand(words: string): Promise<boolean> {
  const { code, stdout } = await cliWith({}).run(...words.split(' '), '--help');
  const shown = /^Usage: bot-bottle ((?:[a-z][a-z-]* ?)*)/.exec(stdout)?.[1]?.trim() ?? '';
  if (code !== 0 || shown === '') return false;
  // A group shows its own help when the next word is no command of it; behind a command stand arguments.
  return words === shown || (words.startsWith(`${shown} `) && !stdout.includes('Commands:'));
}
