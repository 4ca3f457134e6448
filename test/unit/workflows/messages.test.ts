import assert from 'node:assert/strict';
import {
  bottlesQueue,
  COMMAND_KINDS,
  commandUpdates,
  pauseWorkflowId,
  turnsQueue,
} from '../../../src/workflows/messages.js';

describe('messages of the workflow', () => {
  it('go to a queue of each host for turns, and to one for the rest', () => {
    assert.deepEqual([turnsQueue('h1'), bottlesQueue('h1')], ['turns@h1', 'bottles@h1']);
  });

  it('are to one workflow for each scope of a pause', () => {
    assert.equal(pauseWorkflowId('alice/demo'), 'pause:alice/demo');
  });

  it('of operators are each called by the command’s name', () => {
    for (const kind of COMMAND_KINDS) assert.equal(commandUpdates[kind].name, kind);
    assert.ok(COMMAND_KINDS.includes('freeze') && COMMAND_KINDS.includes('move'));
  });
});
