import assert from 'node:assert/strict';
import { COMMAND_OPERATIONS } from '../../../src/api/operations/commands.js';
import { PROPOSAL_OPERATIONS } from '../../../src/api/operations/proposals.js';

const BODIES = new Map(
  [...COMMAND_OPERATIONS, ...PROPOSAL_OPERATIONS].map(({ id, body }) => [id, body] as const),
);

describe('a body that asks for nothing, which the command line refuses, too', () => {
  for (const [id, body, isTaken] of [
    ['giveCommand', { kind: 'resume', prompt: ' \n' }, false],
    ['giveCommand', { kind: 'resume', prompt: ' go on ' }, true],
    ['giveCommand', { kind: 'resume' }, true],
    ['decideProposal', { verdict: 'reject', hash: 'h', notes: ' ' }, false],
    ['decideProposal', { verdict: 'reject', hash: 'h', notes: 'no' }, true],
    ['decideProposal', { verdict: 'approve', hash: 'h', notes: ' ' }, false],
    ['decideProposal', { verdict: 'approve', hash: 'h' }, true],
  ] as const)
    it(`is ${isTaken ? 'none' : 'refused'}: ${id} ${JSON.stringify(body)}`, () => {
      assert.equal(BODIES.get(id)?.safeParse(body).success, isTaken);
    });
});
