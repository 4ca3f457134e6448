import assert from 'node:assert/strict';
import { parseIssue, parseTarget } from '../../../../src/cli/base/target.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';

const gitea = { kind: 'gitea', webUrl: 'https://git.example/code' } as const;

describe('the target of a command', () => {
  const demo = { owner: 'alice', repo: 'demo', number: 12 };

  it('is of the forge that is configured', () => {
    assert.deepEqual(parseTarget('alice/demo#12', gitea), {
      kind: 'subject',
      subject: { forge: 'gitea', ...demo },
    });
    assert.deepEqual(parseTarget('gitea:alice/demo#12', gitea), {
      kind: 'subject',
      subject: { forge: 'gitea', ...demo },
    });
  });

  it('is an issue where only one will do, and what is none hears of issues alone', () => {
    assert.deepEqual(parseIssue('alice/demo#12', '--issue', gitea), { forge: 'gitea', ...demo });
    assert.deepEqual(parseIssue('https://git.example/code/alice/demo/issues/12', '--issue', gitea), {
      forge: 'gitea',
      ...demo,
    });
    for (const text of ['alice/demo', 'coder-alice-demo-12-abcde', '12', 'alice/demo#'])
      assert.throws(
        () => parseIssue(text, '--issue', gitea),
        (error: unknown) =>
          error instanceof InvalidInputError &&
          error.message === '--issue takes owner/repo#12, with the number, or the address of an issue',
        text,
      );
  });

  it('is the address of an issue or pull request, as the forge writes it', () => {
    for (const page of ['issues/12', 'pulls/12', 'pulls/12/files'])
      assert.deepEqual(parseTarget(`https://git.example/code/alice/demo/${page}`, gitea), {
        kind: 'subject',
        subject: { forge: 'gitea', ...demo },
      });
    for (const address of [
      'https://other.example/code/alice/demo/issues/12',
      'https://git.example/alice/demo/issues/12',
      'https://git.example/code/alice/demo/commit/12',
    ])
      assert.throws(() => parseTarget(address, gitea), InvalidInputError);
  });
});
