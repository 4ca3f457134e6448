import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  chooseSubmodules,
  isInCone,
  parseGitmodules,
  submoduleReader,
  submoduleRepository,
  type DeclaredSubmodule,
} from '../../../../src/domain/workspace/submodules.js';

const COMMIT = 'c'.repeat(40);
const OWN = { forge: 'gitea', owner: 'alice', repo: 'demo' } as const;
const HERE = { repo: OWN, webUrl: 'https://git.example/forge' } as const;

function found(url: string, webUrl: string = HERE.webUrl): string {
  const answer = submoduleRepository(url, { repo: OWN, webUrl });
  return 'reason' in answer ? answer.reason : `${answer.owner}/${answer.repo}`;
}

function reasonFor(path: string, declared: readonly DeclaredSubmodule[]): string | undefined {
  const { leftOut } = chooseSubmodules([{ path, commit: COMMIT }], declared, HERE);
  return leftOut.find((one) => one.path === path)?.reason;
}

describe('the address of a submodule', () => {
  it('is one of this forge, absolute or relative as git resolves it', () => {
    assert.equal(found('https://git.example/forge/bob/lib.git'), 'bob/lib');
    assert.equal(found('HTTPS://GIT.example:443/forge/bob/lib/'), 'bob/lib');
    assert.equal(found('../lib'), 'alice/lib');
    assert.equal(found('../.profile'), 'alice/.profile');
    assert.equal(found('https://git.example/forge/bob/-x.git'), 'bob/-x');
    assert.equal(found('../a.gitlab'), 'alice/a.gitlab');
    assert.equal(found('./../lib.git'), 'alice/lib');
    assert.equal(found('../../bob/lib.git'), 'bob/lib');
    assert.equal(found('.././../bob/lib.git'), 'bob/lib');
    assert.equal(found('../lib.git', 'http://127.0.0.1:3000'), 'alice/lib');
  });

  const REFUSED: readonly (readonly [url: string, reason: RegExp])[] = [
    ['https://git.example.org/forge/bob/lib', /not on this forge/],
    ['http://git.example/forge/bob/lib', /not on this forge/],
    ['https://git.example:8443/forge/bob/lib', /not on this forge/],
    ['https://git.example/bob/lib', /not on this forge/],
    ['https://git.example/forgery/bob/lib', /not on this forge/],
    ['https://git.example/forge/../bob/lib', /not on this forge/],
    ['https://git.example@evil.example/forge/bob/lib', /a user or a password/],
    ['https://bob:secret@git.example/forge/bob/lib', /a user or a password/],
    ['https://git.example\\@evil.example/forge/bob/lib', /characters/],
    ['https://git.example/forge/bob/lib?x=1', /characters/],
    ['https://git.example/forge/bob/lib#x', /characters/],
    ['https://git.example/forge/bob/%2e%2e', /characters/],
    ['https://git.example/forge/bob/lib\nhttps://x', /characters/],
    ['https://git.exämple/forge/bob/lib', /characters/],
    ['https://git.example/forge/bob/lib/info', /not that of a repository/],
    ['https://git.example/forge/bob', /not that of a repository/],
    ['https://git.example/forge/bob/-', /not that of a repository/],
    ['https://git.example/forge/-x/lib', /not that of a repository/],
    ['https://git.example/forge//lib', /not that of a repository/],
    ['./lib', /not that of a repository/],
    ['../../../bob/lib', /not on this forge/],
    ['../../../../../bob/lib', /another kind of address/],
    ['../../../../evil.example/bob/lib', /not on this forge|another kind/],
    ['../..', /not that of a repository/],
    ['ssh://git@git.example/bob/lib.git', /another kind of address/],
    ['git@git.example:bob/lib.git', /another kind of address/],
    ['file:///etc', /another kind of address/],
    ['/srv/git/lib.git', /another kind of address/],
    ['ext::sh -c touch% /tmp/x', /another kind of address/],
    ['--upload-pack=touch /tmp/x', /another kind of address/],
    ['-u./x', /another kind of address/],
    ['git://git.example/forge/bob/lib', /another kind of address/],
    ['', /no address/],
  ];
  for (const [url, reason] of REFUSED) {
    it(`is not ${JSON.stringify(url)}`, () => {
      assert.match(found(url), reason);
    });
  }

  it('never names anything but a repository, whatever it is', () => {
    const part = fc.constantFrom(
      ...[
        '..',
        '.',
        '/',
        '//',
        'https:',
        'git.example',
        'forge',
        'bob',
        'lib',
        '.git',
        '@',
        ':',
        '\\',
        '%2f',
        '\n',
        '-x',
      ],
    );
    const anything = fc.oneof(
      fc.array(part, { maxLength: 12, size: 'max' }).map((parts) => parts.join('')),
      fc.array(part, { maxLength: 6 }).map((parts) => `../${parts.join('/')}`),
      fc.array(part, { maxLength: 6 }).map((parts) => `https://git.example/forge/${parts.join('/')}`),
      fc.webUrl(),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(anything, (url) => {
        const answer = submoduleRepository(url, HERE);
        if ('reason' in answer) return answer.reason.length > 0;
        const { owner, repo } = answer;
        const isName = (name: string): boolean => /^[A-Za-z0-9._-]+$/.test(name) && !/^\.$|\.\./.test(name);
        return /^[A-Za-z0-9]/.test(owner) && [owner, repo].every(isName);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the submodules of a commit', () => {
  it('are those of the tree that .gitmodules names', () => {
    const declared = parseGitmodules(
      [
        'submodule.lib.path\nvendor/lib\0submodule.lib.url\n../lib\0submodule.lib.update\n!touch /tmp/x\0',
        'core.fsmonitor\nx\0submodule.a.b c.path\nx\0submodule.a.b c.url\n../x\0submodule.novalue.path\0',
      ].join(''),
    );
    assert.deepEqual(declared.slice(0, 2), [
      { name: 'lib', path: 'vendor/lib', url: '../lib' },
      { name: 'a.b c', path: 'x', url: '../x' },
    ]);
    const chosen = chooseSubmodules(
      [
        { path: 'vendor/lib', commit: COMMIT },
        { path: 'x', commit: COMMIT },
      ],
      declared.slice(0, 2),
      HERE,
    );
    assert.deepEqual(chosen.leftOut, []);
    assert.deepEqual(
      chosen.wanted.map(({ name, repo }) => [name, repo.repo]),
      [
        ['lib', 'lib'],
        ['a.b c', 'x'],
      ],
    );
  });

  it('count once: what is said twice is not placed', () => {
    const twice = parseGitmodules(
      'submodule.a.path\nx\0submodule.a.path\ny\0submodule.b.path\nz\0submodule.b.url\n../l\0submodule.b.url\n../m\0',
    );
    assert.match(reasonFor('x', twice) ?? '', /no entry/);
    assert.match(reasonFor('z', twice) ?? '', /no address for it, or two/);
    const entry = { path: 'x', url: '../lib' };
    assert.match(
      reasonFor('x', [
        { ...entry, name: 'a' },
        { ...entry, name: 'b' },
      ]) ?? '',
      /two entries/,
    );
  });

  const PATHS = [
    ...[
      '../x',
      'a/../b',
      './a',
      '/etc',
      'a//b',
      '.git',
      'a/.git/hooks',
      '.GIT',
      'git~1',
      '.git. ',
      'a/.git ',
      '-x',
    ],
    ...[
      'a\\b',
      'a:b',
      'a"b',
      'a\nb',
      '\u202ea',
      '.g\u200cit',
      '',
      '.',
      '..',
      'x'.repeat(201),
      `${'x/'.repeat(260)}x`,
    ],
  ];
  for (const hostile of PATHS) {
    it(`have neither path nor name ${JSON.stringify(hostile.slice(0, 30))}`, () => {
      const asPath = [{ name: 'lib', path: hostile, url: '../lib' }];
      assert.match(reasonFor(hostile, asPath) ?? '', /its path/);
      const asName = [{ name: hostile, path: 'lib', url: '../lib' }];
      assert.match(reasonFor('lib', asName) ?? '', /its name/);
    });
  }

  it('may have what only looks like git’s own in path and name', () => {
    for (const path of ['.github', 'a.git', `${'x/'.repeat(249)}xy`])
      assert.equal(reasonFor(path, [{ name: path, path, url: '../lib' }]), undefined, path);
  });

  it('are declared by path and address alone', () => {
    const of = (key: string): readonly DeclaredSubmodule[] => parseGitmodules(`${key}\nx\0`);
    assert.deepEqual(of('submodule.a.path'), [{ name: 'a', path: 'x', url: '' }]);
    for (const key of ['submodule.a.paths', 'xsubmodule.a.path', 'submodule.a.branch', 'submodule.path'])
      assert.deepEqual(of(key), [], key);
    assert.deepEqual(parseGitmodules('submodule.a.path'), [{ name: 'a', path: '', url: '' }]);
  });

  it('have no repository inside another one’s', () => {
    const entry = (name: string, path: string) => ({ name, path, url: '../lib' });
    for (const [name, other] of [
      ['lib', 'lib/hooks'],
      ['Lib/modules/x', 'lib'],
      ['lib', 'LIB'],
    ] as const)
      assert.match(reasonFor('x', [entry(name, 'x'), entry(other, 'y')]) ?? '', /inside each other/);
    assert.equal(reasonFor('x', [entry('lib', 'x'), entry('library', 'y')]), undefined);
  });

  it('are told of when the tree has none at the path', () => {
    assert.equal(reasonFor('x', []), '.gitmodules has no entry with its path, or one that says it twice');
    const { leftOut } = chooseSubmodules([], [{ name: 'a', path: 'link/x', url: '../lib' }], HERE);
    assert.deepEqual(leftOut, [{ path: 'link/x', reason: 'the commit has no submodule at this path' }]);
  });
});

describe('whose rights a submodule is read with', () => {
  it('are the bot’s for the run’s own repository and for what the operator named, else nobody’s', () => {
    const repo = (owner: string, name: string) => ({ forge: 'gitea', owner, repo: name }) as const;
    assert.equal(submoduleReader(repo('Alice', 'Demo'), OWN, []), 'bot');
    assert.equal(submoduleReader(repo('bob', 'lib'), OWN, ['Bob/Lib']), 'bot');
    assert.equal(submoduleReader(repo('bob', 'lib'), OWN, ['bob/library', 'bob/*', '*']), 'anybody');
    assert.equal(submoduleReader(repo('alice', 'other'), OWN, []), 'anybody');
  });
});

describe('git’s cone', () => {
  it('has what is below its directories, and the files beside and above them', () => {
    const inside = (path: string): boolean => isInCone(path, ['src/app']);
    for (const path of ['src/app/a', 'src/app/deep/a', 'src/a', 'a']) assert.equal(inside(path), true, path);
    for (const path of ['src/application/a', 'docs/a', 'src/lib/a', 'docs/app/a'])
      assert.equal(inside(path), false, path);
    assert.equal(isInCone('docs/a', ['src/app', 'docs']), true, 'one of several');
    assert.equal(isInCone('docs/a', []), true);
  });
});
