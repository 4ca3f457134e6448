import assert from 'node:assert/strict';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import { parseOpencodeEnv } from '../../../../src/domain/sync/opencode-env.js';

const WHOLE = [
  '# remark',
  'OPENCODE_API_KEY=sk-1_a.b/c',
  "  export OPENCODE_MODEL='claude-35-sonnet'",
  'OPENCODE_VARIANT="high"',
  '',
  'OPENCODE_AGENT=build\r',
];
const read = (lines: readonly string[], overrides = {}): ReturnType<typeof parseOpencodeEnv> =>
  parseOpencodeEnv(lines.join('\n'), 'the file', overrides);

describe('opencode.env', () => {
  it('is read line by line, with quotes, exports and remarks', () => {
    assert.deepEqual(read(WHOLE), {
      values: {
        OPENCODE_API_KEY: 'sk-1_a.b/c',
        OPENCODE_MODEL: 'claude-35-sonnet',
        OPENCODE_VARIANT: 'high',
        OPENCODE_AGENT: 'build',
      },
      ignored: [],
    });
  });

  it('gives way to what an option says, also where the file says nothing', () => {
    const { values } = read(WHOLE.slice(0, 5), { OPENCODE_MODEL: 'other', OPENCODE_AGENT: 'plan' });
    assert.deepEqual([values.OPENCODE_MODEL, values.OPENCODE_AGENT], ['other', 'plan']);
    assert.equal(read(WHOLE, { OPENCODE_MODEL: null }).values.OPENCODE_MODEL, 'claude-35-sonnet');
  });

  it('passes no other name on, and says which there are', () => {
    const { values, ignored } = read([...WHOLE, 'PATH=/evil', 'OPENCODE_CONFIG=/x;y']);
    assert.deepEqual(ignored, ['PATH', 'OPENCODE_CONFIG']);
    assert.equal(Object.keys(values).length, 4);
  });

  for (const [what, lines, message] of [
    ['a key that is missing', WHOLE.slice(0, 5), 'the file: OPENCODE_AGENT is missing'],
    [
      'several that are',
      [],
      'the file: OPENCODE_API_KEY, OPENCODE_MODEL, OPENCODE_VARIANT, OPENCODE_AGENT are missing',
    ],
    [
      'a key that is there twice',
      [...WHOLE, 'OPENCODE_AGENT=x'],
      'the file: line 7 sets OPENCODE_AGENT again',
    ],
    ['a line that is no assignment', [...WHOLE, 'source ~/.profile'], 'the file: line 7 is not KEY=value'],
    [
      'everything that is wrong',
      [...WHOLE.slice(0, 5), 'x', '=y'],
      'the file: line 6 is not KEY=value; line 7 is not KEY=value; OPENCODE_AGENT is missing',
    ],
  ] as const)
    it(`is refused for ${what}, which is named`, () => {
      assert.throws(() => read(lines), { message });
    });

  for (const value of [
    '$(id)',
    '`id`',
    'a b',
    'a;b',
    'a"b',
    '',
    "'",
    "x'y'",
    "'x'y",
    '"x\'',
    '~x',
    'ключ',
    'a\\b',
    '${HOME}',
  ])
    it(`is refused for the value ${JSON.stringify(value)}, which is not repeated`, () => {
      const lines = WHOLE.map((line) => (line.includes('API_KEY') ? `OPENCODE_API_KEY=${value}` : line));
      assert.throws(
        () => read(lines),
        (error) =>
          error instanceof InvalidInputError &&
          error.message ===
            'the file: line 2: OPENCODE_API_KEY may have letters, digits and ._-/ only, and must not be empty',
      );
    });
});
