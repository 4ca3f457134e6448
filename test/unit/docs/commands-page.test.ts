import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parseHelp } from '../../../script/lib/docs/command-help.js';
import { commandsMarkdown } from '../../../script/lib/docs/commands-markdown.js';
import { cliWith } from '../cli/small-world.js';
import { ROOT } from './tree.js';

describe('docs/commands.md', () => {
  it('is what the program says of itself: `npm run docs:commands` writes it', async () => {
    const file = path.join(ROOT, 'docs/commands.md');
    const style = await resolveConfig(file);
    const expected = await format(await commandsMarkdown(cliWith({}).run), { ...style, parser: 'markdown' });
    assert.equal(readFileSync(file, 'utf8'), expected);
    for (const heading of ['## signal', '## orchestrate start', '## forge setup'])
      assert.ok(expected.includes(`\n${heading}\n`), heading);
  });

  it('joins what a narrow terminal wraps', () => {
    const help = parseHelp(
      ['logs'],
      [
        'Usage: bot-bottle logs [options] <run>',
        '',
        'Show what the agent',
        'printed',
        '',
        'Options:',
        '  -f, --follow  go on with',
        '                what comes',
        '  -h, --help    display help for command',
        '',
        'Times are UTC.',
      ].join('\n'),
    );
    assert.deepEqual(help, {
      path: ['logs'],
      usage: 'bot-bottle logs [options] <run>',
      description: 'Show what the agent printed',
      arguments: [],
      options: [{ term: '-f, --follow', text: 'go on with what comes' }],
      commands: [],
      notes: ['Times are UTC.'],
    });
  });
});
