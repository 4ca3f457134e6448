import assert from 'node:assert/strict';
import { forkOf, upstreamAddress } from '../../../../src/domain/sync/remotes.js';

const FORGE = 'https://git.example:3000';

describe('the remotes of a fork', () => {
  for (const origin of [
    'https://git.example:3000/alice/demo.git',
    'https://git.example:3000/alice/demo/',
    'https://alice:word@git.example:3000/alice/demo.git',
    'git@git.example:alice/demo.git',
    'ssh://git@git.example:2222/alice/demo.git',
    'HTTPS://Git.Example:3000//alice/demo.git//',
    'git@Git.Example:/alice/demo.git',
    'ssh://git@Git.Example/alice/demo',
  ])
    it(`are the forge's by ${origin}`, () => {
      assert.deepEqual(forkOf(origin, FORGE), { owner: 'alice', repo: 'demo' });
    });

  it('are the forge’s below a path, too', () => {
    const there = 'https://git.example/gitea';
    assert.deepEqual(forkOf(`${there}/alice/demo.git`, there), { owner: 'alice', repo: 'demo' });
    assert.deepEqual(forkOf('git@git.example:alice/demo.git', there), { owner: 'alice', repo: 'demo' });
    for (const elsewhere of ['alice/demo.git', 'other/alice/demo', 'giteax/alice/demo', 'gitea'])
      assert.throws(() => forkOf(`https://git.example/${elsewhere}`, there), /no repository of the forge/);
    const deeper = 'https://git.example/a/b/';
    assert.deepEqual(forkOf(`${deeper}alice/demo`, deeper), { owner: 'alice', repo: 'demo' });
    assert.throws(() => forkOf('not an address', there), /no repository of the forge/);
  });

  for (const origin of [
    'https://other.example/alice/demo.git',
    'https://git.example/alice/demo.git',
    'https://git.example:3000/alice/demo/more.git',
    'https://git.example:3000/alice/..',
    'https://git.example:3000/alice',
    'https://git.example:3000/alice/demo?a=b',
    'https://git.example:3000/alice/demo#readme',
    'git@other.example:alice/demo.git',
    '/srv/git/demo.git',
    'ext::sh -c id',
    '-uupload',
  ])
    it(`are not by ${origin}, and the error says what is wanted`, () => {
      assert.throws(() => forkOf(origin, FORGE), /git remote set-url origin https:\/\/git\.example:3000\//);
    });

  it('are told without the password that stands in one', () => {
    for (const password of ['word', 'wo@rd', ''])
      for (const read of [upstreamAddress, (address: string) => forkOf(address, FORGE)])
        assert.throws(
          () => read(`https://me:${password}@other.example/a/b.git?c`),
          /"https:\/\/\*\*\*@other\.example\/a\/b\.git\?c"/,
        );
  });

  it('are told by their first 200 characters', () => {
    assert.throws(
      () => upstreamAddress(`ext::${'x'.repeat(300)} y`),
      (error: Error) => error.message.includes(`"ext::${'x'.repeat(195)}"`),
    );
  });

  for (const [upstream, address] of [
    ['https://github.com/some/body.git', 'https://github.com/some/body.git'],
    ['https://me:word@github.com/some/body', 'https://github.com/some/body'],
    ['git@github.com:some/body.git', 'https://github.com/some/body.git'],
    ['ssh://git@git.example:2222/some/body', 'https://git.example/some/body.git'],
    ['git@github.com:some/body.github.io', 'https://github.com/some/body.github.io.git'],
    ['http://127.0.0.1:3000/a/b.git', 'http://127.0.0.1:3000/a/b.git'],
  ] as const)
    it(`are read from ${address} for ${upstream}`, () => {
      assert.equal(upstreamAddress(upstream), address);
    });

  for (const upstream of [
    '/srv/git/demo.git',
    'file:///srv/demo',
    'ext::sh -c id',
    'git://h/a',
    '--upload-pack=x',
    'ext::https://github.com/a/b',
    'https://github.com',
    'https://github.com/',
    'https://github.com/a/b?token=x',
    'https://github.com/a/b#c',
    'git@github.com',
    '',
  ])
    it(`are not read from ${JSON.stringify(upstream)}`, () => {
      assert.throws(() => upstreamAddress(upstream), /http\(s\) or ssh address/);
    });
});
