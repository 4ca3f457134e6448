import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EXIT } from '../../../src/cli/base/exit-codes.js';
import { cliWith } from '../cli/small-world.js';
import { readPage } from './markdown.js';
import { productArguments, shellBlocks, type ShellBlock } from './shell-blocks.js';
import { ROOT, readTree, type Tree } from './tree.js';

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const run = cliWith({ stdin: { isTTY: false, text: 'secret' } }).run;
const onTerminal = cliWith({ terminal: { columns: 80, colors: false }, stdin: { isTTY: true } }).run;

/** What readers are told to run: the decisions are history. */
const PAGE = /^(?:README|CONTRIBUTING)\.md$|^docs\/[^/]+\.md$/;

describe('the commands in the documents', () => {
  const tree = readTree();
  const pages = tree.files.filter((file) => PAGE.test(file));
  const blocks = pages.flatMap((file) =>
    shellBlocks(read(file)).blocks.map((block) => ({ ...block, at: `${file}:${String(block.line)}` })),
  );

  it('are in blocks that say which language they are in', () => {
    assert.ok(blocks.length > 10);
    assert.deepEqual(
      pages.flatMap((file) => shellBlocks(read(file)).unnamed.map((line) => `${file}:${String(line)}`)),
      [],
    );
  });

  it('run in a test that is named before them, or say why they are not run', () => {
    assert.deepEqual(
      blocks.flatMap((block) => unproven(block, tree, read).map((why) => `${block.at}: ${why}`)),
      [],
    );
  });

  it('are taken by the program as they stand', async () => {
    const refused: string[] = [];
    for (const { at, commands } of blocks)
      for (const { words } of commands) {
        const args = productArguments(words);
        if (args === undefined || (await run(...args)).code !== EXIT.usage) continue;
        // The dashboard needs one.
        if ((await onTerminal(...args)).code === EXIT.usage) refused.push(`${at}: ${words.join(' ')}`);
      }
    assert.deepEqual(refused, []);
    assert.equal((await run('orchestrate', 'status', '--everything')).code, EXIT.usage);
  });

  it('have options that our scripts know', () => {
    const scripts = blocks.flatMap(({ at, commands }) =>
      commands
        .filter(({ words: [program = ''] }) => program.startsWith('script/'))
        .map(({ words }) => ({ at, words })),
    );
    assert.ok(scripts.length > 5);
    const help = new Map<string, string>();
    for (const { at, words } of scripts) {
      const [program = '', ...args] = words;
      const known =
        help.get(program) ?? spawnSync(path.join(ROOT, program), ['--help'], { encoding: 'utf8' }).stdout;
      help.set(program, known);
      const unknown = args.filter((arg) => arg.startsWith('--') && !known.includes(arg));
      assert.deepEqual(unknown, [], `${at}: ${words.join(' ')}`);
    }
  });

  it('in the middle of a sentence have options that exist', async () => {
    const wrong: string[] = [];
    for (const file of pages)
      for (const { line, text } of readPage(read(file)).code) {
        const [, rest] = /^bot-bottle (.*)$/.exec(text) ?? [];
        const options = rest?.match(/--(?!help\b)[a-z-]+/g) ?? [];
        if (rest === undefined || options.length === 0) continue;
        const help = await run(...(/^[a-z ]*[a-z]/.exec(rest)?.[0].split(' ') ?? []), '--help');
        for (const option of options)
          if (!new RegExp(`^ +(?:-\\w, )?${option}(?![a-z-])`, 'm').test(help.stdout))
            wrong.push(`${file}:${String(line)}: ${text}`);
      }
    assert.deepEqual(wrong, []);
  });
});

describe('the check of commands', () => {
  const files: Readonly<Record<string, string>> = {
    'test/a.test.ts': "cli(['signal', slug, 'resume', '--prompt', 'x'])",
  };
  const tree: Tree = { files: Object.keys(files), has: (file) => Object.hasOwn(files, file) };
  const problems = (mark: string, command: string): readonly string[] =>
    shellBlocks(`${mark}\n\n\`\`\`sh\n${command}\n\`\`\``).blocks.flatMap((block) =>
      unproven(block, tree, (file) => files[file] ?? ''),
    );

  it('finds a block without a mark, a reason, a test, or the command in it', () => {
    const resume = 'bot-bottle signal a/b#1 resume --prompt x';
    assert.deepEqual(problems('<!-- run by: test/a.test.ts -->', resume), []);
    assert.deepEqual(problems('<!-- not run: it deletes the home -->', 'rm -rf ~'), []);
    assert.match(problems('Do this:', resume).join(), /nothing says/);
    assert.match(problems('<!-- not run: -->', resume).join(), /nothing says/);
    assert.match(problems('<!-- run by: test/b.test.ts -->', resume).join(), /test\/b.test.ts is not there/);
    assert.match(
      problems('<!-- run by: test/a.test.ts -->', 'bot-bottle signal a/b#1 resume --json').join(),
      /none of them has: signal .*--json/,
    );
  });

  it('sees the parts of a pipeline, and no comments, quotes and redirections', () => {
    const [block] = shellBlocks(
      "```sh\ntoken 'my token' | bot-bottle secret set a < b # not c\ntoken() { x; }\n```",
    ).blocks;
    assert.deepEqual(
      block?.commands.map(({ words }) => words),
      [
        ['token', 'my token'],
        ['bot-bottle', 'secret', 'set', 'a'],
      ],
    );
    assert.deepEqual(productArguments(['docker', 'compose', 'run', '--rm', 'worker', 'doctor']), ['doctor']);
    assert.equal(productArguments(['docker', 'ps']), undefined);
  });
});

function unproven({ runs, commands }: ShellBlock, tree: Tree, text: (file: string) => string): string[] {
  if (runs.kind === 'not_said') return ['nothing says which test runs it, or why none does'];
  if (runs.kind === 'not_run') return [];
  const missing = runs.files.filter((file) => !tree.has(file));
  if (missing.length > 0) return missing.map((file) => `${file} is not there`);
  const texts = runs.files.map(text);
  return commands.flatMap(({ words }) => {
    const wanted = wordsToFind(words);
    return texts.some((one) => wanted.every((word) => hasWord(one, word)))
      ? []
      : [`none of them has: ${wanted.join(' ')}`];
  });
}

/** Of ours what is no example of a value; of other programs nothing. */
function wordsToFind(words: readonly string[]): readonly string[] {
  const [program = ''] = words;
  const args = productArguments(words);
  if (args === undefined)
    return program.startsWith('script/') ? [path.basename(program), ...words.slice(1)] : [];
  return args.filter((arg) => /^(?:--)?[a-z-]+$/.test(arg) && !VALUES.has(arg));
}

/** Names that stand for the reader's own. */
const VALUES = new Set([
  'implementer',
  'forge-token',
  'publish-token',
  'anthropic-api-key',
  'model-key',
  '-',
]);

function hasWord(text: string, word: string): boolean {
  return new RegExp(`(?<![\\w-])${word.replace(/[.*+?^$(){}|[\]\\]/g, '\\$&')}(?![\\w-])`).test(text);
}
