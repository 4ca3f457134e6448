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
  ])
    it(`are the forge's by ${origin}`, () => {
      assert.deepEqual(forkOf(origin, FORGE), { owner: 'alice', repo: 'demo' });
    });

  it('are the forge’s below a path, too', () => {
    const there = 'https://git.example/gitea';
    assert.deepEqual(forkOf(`${there}/alice/demo.git`, there), { owner: 'alice', repo: 'demo' });
    assert.deepEqual(forkOf('git@git.example:alice/demo.git', there), { owner: 'alice', repo: 'demo' });
    assert.throws(() => forkOf('https://git.example/alice/demo.git', there), /no repository of the forge/);
  });

  for (const origin of [
    'https://other.example/alice/demo.git',
    'https://git.example/alice/demo.git',
    'https://git.example:3000/alice/demo/more.git',
    'https://git.example:3000/alice/..',
    'git@other.example:alice/demo.git',
    '/srv/git/demo.git',
    'ext::sh -c id',
    '-uupload',
  ])
    it(`are not by ${origin}, and the error says what is wanted`, () => {
      assert.throws(() => forkOf(origin, FORGE), /git remote set-url origin https:\/\/git\.example:3000\//);
    });

  it('are told without the password that stands in one', () => {
    assert.throws(
      () => forkOf('https://me:word@other.example/a/b.git', FORGE),
      /"https:\/\/\*\*\*@other\.example/,
    );
  });

  for (const [upstream, address] of [
    ['https://github.com/some/body.git', 'https://github.com/some/body.git'],
    ['https://me:word@github.com/some/body', 'https://github.com/some/body'],
    ['git@github.com:some/body.git', 'https://github.com/some/body.git'],
    ['ssh://git@git.example:2222/some/body', 'https://git.example/some/body.git'],
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
    '',
  ])
    it(`are not read from ${JSON.stringify(upstream)}`, () => {
      assert.throws(() => upstreamAddress(upstream), /http\(s\) or ssh address/);
    });
});
