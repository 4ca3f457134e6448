import assert from 'node:assert/strict';
import {
  branchName,
  directory,
  envEntry,
  envName,
  fileName,
  repositoryName,
  script,
  size,
  sizeBytes,
  wholeWithin,
  within,
} from '../../../../src/domain/manifest/manifest-checks.js';

const GIB = 1024 ** 3;
const TEXTS: readonly {
  readonly what: string;
  readonly check: (value: string) => string | undefined;
  readonly good: readonly string[];
  readonly bad: readonly string[];
}[] = [
  {
    what: 'a branch',
    check: branchName,
    good: ['main', 'release/1.2', 'a.lockx', 'v1.locker/x'],
    bad: ['', '-x', 'a b', 'a..b', 'a//b', 'a/', 'a.', 'a.lock', 'a.lock/b', 'a/.b', 'a@{1}', 'é'],
  },
  {
    what: 'a file beside the manifest',
    check: fileName,
    good: ['Dockerfile', 'mid.Dockerfile', '.hidden', 'a'.repeat(100)],
    bad: ['', '.', '..', '../x', 'a/b', '/etc/passwd', 'a b', 'a\n', 'a'.repeat(101)],
  },
  {
    what: 'a directory of the repository',
    check: directory,
    good: ['src', 'src/app', 'src/app/', '.github', 'a'.repeat(200)],
    bad: [
      '',
      '/',
      '/src',
      '.',
      '..',
      './a',
      'a/../b',
      'a//b',
      '-x',
      'a/-x',
      '*',
      'src*',
      'a b',
      'a'.repeat(201),
    ],
  },
  {
    what: 'the name of a repository',
    check: repositoryName,
    good: ['owner/name', 'a.b/c_d-e'],
    bad: ['', 'owner', 'owner/', '/name', 'owner/name/more', 'owner/name/', 'owner/*', 'owner/..'],
  },
  {
    what: 'a variable',
    check: envName,
    good: ['A', '_a', 'a1', 'MY_FORGE_URL', 'FORGER', 'A'.repeat(100)],
    bad: ['', '1A', 'A-B', 'A B', 'A=B', 'A'.repeat(101), 'FORGE_TOKEN', 'BOTTLE_X', 'BOT_BOTTLE_HOME'],
  },
  {
    what: 'a size of at least 16 MiB',
    check: size(16),
    good: ['16m', '16M', '16777216', '16777216b', '16384k', '1024g'],
    bad: ['', '15m', '16777215', '1025g', '1099511627777', '0g', '-1g', '1.5g', '2t', '1g ', '1e9'],
  },
];

describe('a value of a manifest', () => {
  for (const { what, check, good, bad } of TEXTS) {
    it(`may be ${what}`, () => {
      for (const value of good) assert.equal(check(value), undefined, value);
    });
    it(`that is not ${what} is refused with a reason`, () => {
      for (const value of bad) assert.match(check(value) ?? '', /^(?:is |must be )/, JSON.stringify(value));
    });
  }

  it('that is a size is so many bytes', () => {
    const rows = [
      ['7', 7],
      ['7b', 7],
      ['7k', 7 * 1024],
      ['7M', 7 * 1024 ** 2],
      ['7g', 7 * GIB],
      ['7t', undefined],
      ['', undefined],
      [undefined, undefined],
    ] as const;
    for (const [text, bytes] of rows) assert.equal(sizeBytes(text), bytes, text);
  });

  it('that is a number must be in its range, ends included', () => {
    for (const value of [0.1, 1, 256]) assert.equal(within(0.1, 256)(value), undefined);
    for (const value of [0, 0.09, 256.1, NaN])
      assert.equal(within(0.1, 256)(value), 'must be from 0.1 to 256', String(value));
  });

  it('that is a count must be whole, and in its range', () => {
    const check = wholeWithin(16, 32);
    assert.deepEqual([check(16), check(32)], [undefined, undefined]);
    assert.deepEqual([check(15), check(33)], ['must be from 16 to 32', 'must be from 16 to 32']);
    for (const value of [16.5, Infinity, NaN]) assert.equal(check(value), 'must be a whole number');
  });
});

describe('a variable of a bottle', () => {
  it('is one line of at most 4096 characters', () => {
    assert.equal(envEntry('A', 'x'.repeat(4096)), undefined);
    for (const value of ['x'.repeat(4097), 'a\nb', 'a\rb', 'a\0b'])
      assert.match(envEntry('A', value) ?? '', /one line of at most 4096 characters/);
  });

  it('has a name of its own, whatever its value', () => {
    assert.equal(envEntry('FORGE_TOKEN', 'x'), 'is reserved');
    // The container's own is set over it.
    for (const fixed of ['HOME', 'LANG', 'PATH']) assert.match(envEntry(fixed, 'x') ?? '', /cannot be set/);
    assert.equal(envEntry('PATH_TO', 'x'), undefined);
    assert.match(envEntry('A-B', 'a\nb') ?? '', /not a name/);
  });
});

describe('a setup script', () => {
  const MOST = 16 * 1024;

  for (const [char, bytes] of [
    ['\u007f', 1],
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\uffff', 3],
    ['\u{10000}', 4],
  ] as const)
    it(`has at most 16 KiB, in which U+${char.codePointAt(0)?.toString(16) ?? ''} counts ${String(bytes)}`, () => {
      const text = char.repeat(Math.floor(MOST / bytes)) + 'a'.repeat(MOST % bytes);
      assert.equal(Buffer.byteLength(text), MOST);
      assert.equal(script(text), undefined);
      assert.match(script(`${text}a`) ?? '', /longer than 16384 bytes: put it into a dockerfile/);
    });

  it('has no NUL, at which a shell would end it', () => {
    assert.match(script('true\0false') ?? '', /NUL/);
  });
});
