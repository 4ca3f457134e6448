import assert from 'node:assert/strict';
import { parseTarget } from '../../../src/cli/target.js';
import { InvalidInputError } from '../../../src/domain/errors.js';

const github = { kind: 'github', webUrl: 'https://github.com' } as const;
const gitea = { kind: 'gitea', webUrl: 'https://git.example/code' } as const;

describe('the target of a command', () => {
  const demo = { owner: 'alice', repo: 'demo', number: 12 };

  it('is of the forge that is configured, unless it names another', () => {
    assert.deepEqual(parseTarget('alice/demo#12', github), {
      kind: 'subject',
      subject: { forge: 'github', ...demo },
    });
    assert.deepEqual(parseTarget('alice/demo#12', gitea), {
      kind: 'subject',
      subject: { forge: 'gitea', ...demo },
    });
    assert.deepEqual(parseTarget('gitea:alice/demo#12', github), {
      kind: 'subject',
      subject: { forge: 'gitea', ...demo },
    });
  });

  it('is the address of an issue or pull request, as either forge writes it', () => {
    for (const [forge, address] of [
      [github, 'https://github.com/alice/demo/issues/12'],
      [github, 'https://github.com/alice/demo/pull/12/files'],
      [gitea, 'https://git.example/code/alice/demo/pulls/12'],
    ] as const)
      assert.deepEqual(parseTarget(address, forge), {
        kind: 'subject',
        subject: { forge: forge.kind, ...demo },
      });
    assert.throws(() => parseTarget('https://git.example/alice/demo/issues/12', github), InvalidInputError);
    assert.throws(() => parseTarget('https://github.com/alice/demo/commit/12', github), InvalidInputError);
  });
});
