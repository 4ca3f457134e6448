import assert from 'node:assert/strict';
import { withoutHostPaths } from '../../../../src/domain/text/host-paths.js';

describe('paths of the host in words for an agent', () => {
  const gone = [
    "fatal: not a git repository: '/home/alice b/.bot-bottle/mirrors/.scratch/1-2'",
    'error: unable to create temporary file: /srv/bb/mirrors/x/objects/pack: No space left',
    'git --git-dir=/home/alice/.bot-bottle/m took longer than 5 ms',
    'ENOSPC: no space left on device, write "/tmp/bot-bottle-x/state/y"',
    '(see /var/lib/docker/volumes/a)',
    'file:///home/alice/repo is not there',
    '/home/alice/x: first',
    '`/root/.cache/bot-bottle/bin/gitleaks` ended',
  ];
  for (const text of gone)
    it(`are taken out: ${text}`, () => {
      const said = withoutHostPaths(text);
      assert.match(said, /\(a path on the host\)/);
      assert.doesNotMatch(said, /alice|srv|tmp|docker|root|bot-bottle/);
    });

  it('but not what an agent knows, and nothing that is none', () => {
    for (const text of [
      'commit 0123 changes .gitea/workflows/ci.yml, which is not published',
      'merge refs/remotes/pr/bot-bottle/12-abcde first',
      'http://forge.test:3000/alice/demo/pulls/3 was closed',
      'GET /repos/alice/demo/issues/3: 404',
      "look into '/workspace/src/a.ts' and /run/bottle/turn/prompt.md",
      'either/or, 1/2, a / b, /close',
    ])
      assert.equal(withoutHostPaths(text), text);
  });

  it('in time in proportion to the length', () => {
    const before = process.cpuUsage();
    for (const part of ["'/", '/a', '/a/', ' /', '"file://', "'/a'"]) withoutHostPaths(part.repeat(30_000));
    const { user } = process.cpuUsage(before);
    assert.ok(user < 300_000, `${String(user)} µs for six texts of 60 kB and more`);
  });
});
