import assert from 'node:assert/strict';
import type { PrepareTurnInput } from '../../../../src/activities/ports/inputs.js';
import { causeText } from '../../../../src/activities/prepare/prompt-of-turn.js';
import type { PromptTask } from '../../../../src/domain/prompt/prompt-input.js';
import type { BlobStore } from '../../../../src/domain/run/run-files.js';
import { sampleAgent } from '../../../support/manifests/samples.js';

const TASK: PromptTask = { kind: 'local', prompt: 'Mend the door.' };

describe('what an agent is told of the cause of its turn', () => {
  const told = (cause: PrepareTurnInput['cause']) => {
    const getText = (ref: string): Promise<string> => Promise.resolve(`${ref}: one\n${ref}: two`);
    const blobs = { getText } as unknown as BlobStore;
    return causeText(blobs, { cause }, sampleAgent('coder'), () => Promise.resolve(TASK));
  };

  it('is its role and its task at first', async () => {
    const role = sampleAgent('coder').prompt;
    assert.deepEqual(await told({ kind: 'first' }), { kind: 'first', role, task: TASK });
  });

  it('is what it left undone: no word that it is done, what the gate refused, or what it did not commit', async () => {
    const undone = { kind: 'nudge', why: 'not_done' } as const;
    assert.deepEqual(await told(undone), { kind: 'nudge', reason: { why: 'not_done' } });
    const refused = { kind: 'nudge', why: 'refused', reason: 'a CI file' } as const;
    assert.deepEqual(await told(refused), { kind: 'nudge', reason: refused });
    for (const why of ['uncommitted', 'not_done'] as const)
      assert.deepEqual(await told({ kind: 'nudge', why, pathsRef: 'p' }), {
        kind: 'nudge',
        reason: { why, paths: ['p: one', 'p: two'] },
      });
  });

  it('is the operator’s words, if there are any', async () => {
    assert.deepEqual(await told({ kind: 'operator', promptRef: null }), { kind: 'operator', text: null });
    assert.deepEqual(await told({ kind: 'operator', promptRef: 'w' }), {
      kind: 'operator',
      text: 'w: one\nw: two',
    });
  });

  it('is each decision with what its operator said of it', async () => {
    const decision = { id: '1', tool: 'pipelock-block', status: 'rejected' } as const;
    const decisions = [
      { ...decision, notesRef: null },
      { ...decision, id: '2', notesRef: 'n' },
    ];
    const as = { tool: 'pipelock-block', status: 'rejected' } as const;
    assert.deepEqual(await told({ kind: 'decision', decisions }), {
      kind: 'decision',
      decisions: [
        { ...as, proposalId: '1', notes: '' },
        { ...as, proposalId: '2', notes: 'n: one\nn: two' },
      ],
    });
  });

  it('is the same for the turn that goes on with an interrupted one, and that it was interrupted', async () => {
    assert.deepEqual(await told({ kind: 'interrupted', of: { kind: 'wake' }, turn: 2 }), {
      kind: 'interrupted',
      of: { kind: 'wake' },
    });
  });
});
