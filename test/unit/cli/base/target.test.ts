import assert from 'node:assert/strict';
import { parseIssue, parseTarget } from '../../../../src/cli/base/target.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';

const gitea = { kind: 'gitea', webUrl: 'https://git.example/code' } as const;
const SLUG = 'coder-alice-demo-12-abcde';
const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;

/** Of an issue, or of a pull request where that will do. */
const ISSUES = [
  'alice/demo#12',
  'gitea:alice/demo#12',
  'https://git.example/code/alice/demo/issues/12',
  'https://git.example/code/alice/demo/issues/12#issuecomment-9',
  'https://git.example/code/alice/demo/pulls/12',
  'https://git.example/code/alice/demo/pulls/12/files',
];
/** The same path elsewhere is another issue. */
const NO_ADDRESSES = [
  'https://other.example/code/alice/demo/issues/12',
  'https://git.example.evil.example/code/alice/demo/issues/12',
  'https://git.example/alice/demo/issues/12',
  'https://git.example/code/alice/demo/commit/12',
  'https://git.example/code/alice/demo/wiki/12',
];

describe('the target of a command', () => {
  it('is an issue or pull request of the forge that is configured, or a slug', () => {
    for (const text of ISSUES) {
      assert.deepEqual(parseTarget(text, gitea), { kind: 'subject', subject }, text);
      assert.deepEqual(parseIssue(text, '--issue', gitea), subject, text);
    }
    assert.deepEqual(parseTarget(SLUG, gitea), { kind: 'slug', slug: SLUG });
  });

  it('is nothing else', () => {
    for (const text of [...NO_ADDRESSES, 'Not A Slug', 'alice/demo#0', 'alice/../demo#1'])
      for (const parse of [parseTarget, (one: string) => parseIssue(one, '--issue', gitea)])
        assert.throws(() => parse(text, gitea), InvalidInputError, text);
  });

  it('hears of issues alone where only one will do', () => {
    for (const text of ['alice/demo', SLUG, '12', 'alice/demo#'])
      assert.throws(() => parseIssue(text, '--issue', gitea), {
        name: 'InvalidInputError',
        message: '--issue takes owner/repo#12, with the number, or the address of an issue',
      });
  });
});
