import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseHelp } from '../../../script/lib/docs/command-help.js';
import { PAGE_NAMES, pageOf } from '../../../script/lib/docs/pages.js';

describe('a generated page', () => {
  for (const name of PAGE_NAMES)
    it(`is what script/docs.ts makes: ${name}`, async () => {
      const { file, text } = await pageOf(name);
      assert.equal(readFileSync(file, 'utf8'), text);
    });

  it('has every command', async () => {
    const { text } = await pageOf('commands');
    for (const heading of ['## signal', '## orchestrate start', '## forge setup'])
      assert.ok(text.includes(`\n${heading}\n`), heading);
  });

  it('joins what a narrow terminal wraps in the help of a command', () => {
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
