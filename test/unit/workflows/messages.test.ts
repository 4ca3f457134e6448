import assert from 'node:assert/strict';
import {
  bottlesQueue,
  COMMAND_KINDS,
  commandUpdates,
  pauseWorkflowId,
  signalOf,
  turnsQueue,
} from '../../../src/workflows/messages.js';
import { comment, failing, SUBJECT, wrote } from '../../support/machine/world.js';

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

  it('of several things are called after the weightiest, and hold them in their order', () => {
    const inline = { ...comment(1), kind: 'inline', number: 13 } as const;
    const onPull = { ...comment(2), number: 13 };
    const push = { ...comment(3), kind: 'push' } as const;
    const cases = [
      ['pr_review', [push, comment(4), inline]],
      ['issue_comment', [push, onPull, comment(4)]],
      ['pr_comment', [push, onPull]],
      ['push', [failing('a'), push]],
      ['checks_failed', [failing('a')]],
      ['comment_deleted', []],
    ] as const;
    for (const [name, references] of cases) {
      const event = wrote(...references);
      const { kind: _kind, ...payload } = event;
      assert.deepEqual(signalOf(event, SUBJECT.number), { name, payload });
    }
  });
});
