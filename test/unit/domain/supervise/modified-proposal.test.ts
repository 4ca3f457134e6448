import assert from 'node:assert/strict';
import { modifiedProposal, plainFile } from '../../../../src/domain/supervise/modified-proposal.js';
import { readShownProposal } from '../../../../src/domain/supervise/read-shown-proposal.js';
import { shownProposal } from '../../../support/supervise/shown.js';

const route = { name: 'api', upstream: 'https://api.example', methods: ['GET'], paths: ['/v1/'] };
const routes = JSON.stringify({ routes: [route] });

describe('an operator’s version of a proposal', () => {
  it('is the same proposal with their file, and what that changes', () => {
    const shown = shownProposal();
    const file = 'pypi.org\nwheels.files.example\n';
    assert.deepEqual(modifiedProposal(shown, file), {
      kind: 'modified',
      shown: {
        proposal: { ...shown.proposal, proposed_file: file },
        currentFile: shown.currentFile,
        change: { kind: 'allowlist', add: ['wheels.files.example'], remove: [] },
      },
    });
  });

  it('says where it is wrong, that it changes nothing, and that it is too large', () => {
    const problems = (file: string, shown = shownProposal()): string => {
      const read = modifiedProposal(shown, file);
      return read.kind === 'problems' ? read.problems.join() : 'none';
    };
    assert.match(problems('pypi.org\n10.0.0.1:0\n'), /^line 2: /);
    assert.match(problems('pypi.org\n'), /changes nothing/);
    assert.match(problems(`new.example\n#${'x'.repeat(64 * 1024 - 12)}`), /larger than 64 KiB/);
    assert.equal(problems(`new.example\n#${'x'.repeat(64 * 1024 - 13)}`), 'none');
    const shown = shownProposal({ tool: 'cred-proxy-block', proposed_file: routes });
    assert.match(problems(routes.replace('GET', 'STEAL'), shown), /routes\[0\]\.methods/);
  });

  it('begins with what the agent’s file says, without its comments', () => {
    const modeline = shownProposal({ proposed_file: 'pypi.org\nx.example # vim: set foldexpr=evil():\n' });
    assert.equal(plainFile(modeline), 'pypi.org\nx.example\n');
    const plain = plainFile(shownProposal({ tool: 'cred-proxy-block', proposed_file: routes }));
    assert.deepEqual(
      (JSON.parse(plain) as { routes: { name: string }[] }).routes.map(({ name }) => name),
      ['api'],
    );
    assert.match(plain, /^\{\n {2}"routes": \[\n/);
  });
});

describe('the blob of a shown proposal', () => {
  it('is read as it was written', () => {
    const shown = shownProposal();
    assert.deepEqual(readShownProposal(JSON.stringify(shown)), shown);
  });

  it('is refused when it is none', () => {
    const shown = shownProposal();
    for (const wrong of [
      'not JSON',
      'null',
      '{}',
      JSON.stringify({ ...shown, currentFile: 1 }),
      JSON.stringify({ ...shown, change: { kind: 'shell' } }),
      JSON.stringify({ ...shown, proposal: { ...shown.proposal, tool: 'rm' } }),
      JSON.stringify({ ...shown, proposal: { ...shown.proposal, justification: undefined } }),
    ])
      assert.throws(() => readShownProposal(wrong), /the blob of a proposal is none/, wrong);
  });
});
