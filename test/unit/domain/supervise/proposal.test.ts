import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import { callToAsk } from '../../../../src/domain/supervise/how-to-ask.js';
import { isProposalTool, proposalId, shortProposalId } from '../../../../src/domain/supervise/proposal.js';
import { shownProposal } from '../../../support/supervise/shown.js';

describe('the id of a proposal', () => {
  const { proposal } = shownProposal();
  const id = proposalId(sha256, proposal);

  it('is the same for the same proposal, whenever it arrives', () => {
    const later = { ...proposal, arrival_timestamp: '2027-01-01T00:00:00.000Z' };
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.equal(proposalId(sha256, later), id);
  });

  for (const [what, change] of [
    ['run', { bottle_slug: 'coder-alice-demo-12-other' }],
    ['tool', { tool: 'cred-proxy-block' }],
    ['file before', { current_file_hash: 'd'.repeat(64) }],
    ['file', { proposed_file: 'other.example\n' }],
    ['reason', { justification: 'Another.' }],
  ] as const)
    it(`is another one for another ${what}`, () => {
      assert.notEqual(proposalId(sha256, { ...proposal, ...change }), id);
    });

  it('has eight characters for people', () => {
    assert.equal(shortProposalId('3f2a9c1e0000000000000000000000ab'), '3f2a9c1e');
  });
});

describe('a tool to propose with', () => {
  it('is one of three names, and nothing that only looks like one', () => {
    for (const name of ['cred-proxy-block', 'pipelock-block', 'capability-block'])
      assert.ok(isProposalTool(name));
    for (const other of ['', 'toString', ['pipelock-block'], undefined]) assert.ok(!isProposalTool(other));
  });

  it('is named to an agent that was refused, with the server that has it', () => {
    assert.equal(callToAsk('pipelock-block'), 'call the tool pipelock-block of the MCP server supervise');
  });
});
