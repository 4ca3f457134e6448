import assert from 'node:assert/strict';
import type { ProposeRequest } from '../../../../../src/domain/run/run-channel.js';
import type { DecideRequest } from '../../../../../src/domain/supervise/decision.js';
import { decisionRefusal, proposalRefusal } from '../../../../../src/workflows/run/supervise/proposals.js';
import { decide, ID, propose, proposing, SHOWN } from '../../../../support/machine/proposing.js';
import { running } from '../../../../support/machine/stages.js';
import { done, World } from '../../../../support/machine/world.js';

const FILE = '2'.repeat(64);
const REQUEST: DecideRequest = { id: ID, shown: SHOWN, verdict: 'approve', modified: null, notesRef: null };
const ENDED = { kind: 'lost', readAt: 20, why: 'gone' } as const;

describe('a proposal', () => {
  const refusal = (world: World, change: Partial<ProposeRequest> = {}): string | null => {
    const { slug } = world.life;
    const request = { slug, turn: 1, id: ID, tool: 'pipelock-block', ref: SHOWN } as const;
    return proposalRefusal(world.state, { ...request, ...change });
  };

  it('is taken from the turn that runs, once more too', () => {
    const world = running();
    assert.equal(refusal(world), null);
    propose(world);
    world.finish();
    assert.equal(refusal(world), null, 'its agent asks again what came of it');
  });

  it('is none when its parts cannot be, whoever sent it', () => {
    for (const change of [
      { id: '' },
      { id: `${ID}a` },
      { id: `x${ID}` },
      { id: ID.toUpperCase() },
      { tool: 'shell' as ProposeRequest['tool'] },
      { ref: '' },
      { ref: `${SHOWN}1` },
      { ref: `../${SHOWN}` },
    ])
      assert.equal(refusal(running(), change), 'it is no proposal', JSON.stringify(change));
  });

  it('is refused to a turn that is over, to one of another run, and in a run that is to end', () => {
    const over = 'this turn is over';
    assert.equal(refusal(running(), { slug: 'another' }), over);
    assert.equal(refusal(running(), { turn: 2 }), over);
    const settling = running();
    settling.finish();
    assert.equal(refusal(settling), over);
    const ending = running();
    propose(ending);
    ending.feed(ENDED);
    assert.equal(refusal(ending), over);
    const request = { slug: 's', turn: 1, id: ID, tool: 'pipelock-block', ref: SHOWN } as const;
    assert.equal(proposalRefusal(new World().state, request), over);
  });
});

describe('a decision', () => {
  const refusal = (world: World, change: Partial<DecideRequest> = {}): string | null =>
    decisionRefusal(world.state, { ...REQUEST, ...change });
  const refused = (what: RegExp, world: World, change: Partial<DecideRequest> = {}): void => {
    assert.match(refusal(world, change) ?? 'accepted', what, JSON.stringify(change));
  };

  it('is taken when it approves, rejects, or brings a file of its own', () => {
    assert.equal(refusal(proposing()), null);
    assert.equal(refusal(proposing(), { verdict: 'reject', notesRef: FILE, by: 'ann@desk' }), null);
    assert.equal(refusal(proposing(), { verdict: 'modify', modified: FILE }), null);
    // The network of its build may differ from what was shown.
    assert.equal(refusal(proposing('capability-block'), { modified: FILE }), null);
  });

  it('is none when its parts cannot be', () => {
    for (const change of [
      { verdict: 'maybe' as DecideRequest['verdict'] },
      { verdict: 'modify' as const, modified: 'x' },
      { modified: 5 as unknown as string },
      { notesRef: `${FILE}2` },
      { notesRef: `x${FILE}` },
    ])
      refused(/^it is no decision/, proposing(), change);
  });

  it('is refused where there is nothing to decide, and says why', () => {
    refused(/has no such proposal/, running());
    const ending = proposing();
    ending.feed(ENDED);
    refused(/has ended, or is being destroyed/, ending);
    assert.match(decisionRefusal(new World().state, REQUEST) ?? '', /has ended/);
    const decided = proposing();
    decide(decided, null, ID, Date.UTC(2026, 0, 2));
    refused(/it was rejected already, by ann@desk at 2026-01-02T00:00:00\.000Z/, decided);
  });

  it('is refused of what the operator was not shown, of nobody’s name, and of a file that is not asked for', () => {
    refused(/not what you were shown/, proposing(), { shown: FILE });
    refused(/"by" must be one word/, proposing(), { by: 'two words' });
    for (const change of [
      { verdict: 'modify', modified: null },
      { verdict: 'approve', modified: FILE },
      { verdict: 'reject', modified: FILE },
    ] as const)
      refused(/only "modify" has a file of its own/, proposing(), change);
    refused(/only "modify"/, proposing('capability-block'), { verdict: 'reject', modified: FILE });
  });

  it('on an image needs a host that builds it; to reject one needs none', () => {
    const world = proposing('capability-block');
    world.endTurn({ done });
    assert.equal(refusal(world), null);
    world.command({ kind: 'move' });
    refused(/no host now that could build its image/, world);
    assert.equal(refusal(world, { verdict: 'reject' }), null);
    const other = proposing();
    other.endTurn({ done });
    other.command({ kind: 'move' });
    assert.equal(refusal(other), null);
  });

  it('is refused when the run has as many changes as it may have; a no is not', () => {
    const world = proposing();
    for (let n = 0; n < 64; n += 1) {
      assert.equal(refusal(world), null, String(n));
      const id = n.toString(16).padStart(32, 'b');
      propose(world, { id });
      decide(world, FILE, id);
      world.feed({ kind: 'change_applied', id });
      world.feed({ kind: 'proposal_told', id });
    }
    refused(/^the run has 64 changes already/, world);
    assert.equal(refusal(world, { verdict: 'reject' }), null);
  });
});
