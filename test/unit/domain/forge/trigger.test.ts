import assert from 'node:assert/strict';
import type { TimelineAct } from '../../../../src/domain/forge/issue.js';
import {
  completingAct,
  isLaterAct,
  ownActReason,
  parseTriggerLabels,
} from '../../../../src/domain/forge/trigger.js';

const alice = { id: 1, login: 'alice' };
const bob = { id: 2, login: 'bob' };

let acts = 0;

function act(kind: TimelineAct['kind'], at: string, what = '', actor = alice): TimelineAct {
  return { id: (acts += 1), kind, actor, at, what };
}

describe('the trigger labels of an issue', () => {
  it('name nothing when no label has the prefix', () => {
    assert.deepEqual(parseTriggerLabels([]), { kind: 'none' });
    assert.deepEqual(parseTriggerLabels(['bug', 'bot-bottle', 'x-bot-bottle:a']), { kind: 'none' });
  });

  it('name the agent, and the bottle when one is named', () => {
    const agent = { kind: 'agent', agent: 'implementer', bottle: null };
    assert.deepEqual(parseTriggerLabels(['bug', 'bot-bottle:implementer']), agent);
    assert.deepEqual(parseTriggerLabels(['bot-bottle-bottle:big', 'bot-bottle:implementer']), {
      ...agent,
      bottle: 'big',
    });
  });

  it('do not start anything with a bottle alone', () => {
    assert.deepEqual(parseTriggerLabels(['bot-bottle-bottle:big']), { kind: 'none' });
  });

  it('are refused when two agents or two bottles are named, but not for a repeated label', () => {
    assert.equal(parseTriggerLabels(['bot-bottle:a', 'bot-bottle:b']).kind, 'rejected');
    assert.equal(
      parseTriggerLabels(['bot-bottle:a', 'bot-bottle-bottle:b', 'bot-bottle-bottle:c']).kind,
      'rejected',
    );
    assert.equal(parseTriggerLabels(['bot-bottle:a', 'bot-bottle:a']).kind, 'agent');
  });

  it('are refused with what to do about it', () => {
    const reason = (...labels: readonly string[]): string => {
      const verdict = parseTriggerLabels(labels);
      return verdict.kind === 'rejected' ? verdict.reason : verdict.kind;
    };
    const [a, b] = ['bot-bottle:a', 'bot-bottle:b'];
    const bottles = ['bot-bottle-bottle:c', 'bot-bottle-bottle:d'];
    assert.equal(reason(a, b), 'two agent labels (a, b): leave one');
    assert.equal(reason(a, ...bottles), 'two bottle labels (c, d): leave one');
    assert.equal(reason('bot-bottle:A b'), '"A b" is not a possible agent name');
    assert.equal(reason(a, 'bot-bottle-bottle:C'), '"C" is not a possible bottle name');
    assert.equal(ownActReason('bot'), 'bot may not start itself: a person has to label or assign');
  });

  for (const name of ['', '../etc', 'A', 'a b', '-a', '.a', 'a/b', 'x'.repeat(64)]) {
    it(`are refused for the impossible name ${JSON.stringify(name.slice(0, 10))}`, () => {
      assert.equal(parseTriggerLabels([`bot-bottle:${name}`]).kind, 'rejected');
      assert.equal(parseTriggerLabels(['bot-bottle:a', `bot-bottle-bottle:${name}`]).kind, 'rejected');
    });
  }
});

describe('the act that completed a trigger', () => {
  it('is the last one that the trigger depends on, whoever did others later', () => {
    const timeline = [
      act('opened', '2026-01-01T00:00:00Z'),
      act('labeled', '2026-01-01T00:01:00Z', 'bot-bottle:a'),
      act('assigned', '2026-01-01T00:02:00Z', 'member', bob),
      act('labeled', '2026-01-01T00:03:00Z', 'bug'),
      act('assigned', '2026-01-01T00:04:00Z', 'stranger'),
      act('labeled', '2026-01-01T00:05:00Z', 'bot-bottle:other'),
      act('unlabeled', '2026-01-01T00:06:00Z', 'bot-bottle:a'),
    ];
    assert.deepEqual(completingAct(timeline, 'a', ['member']), {
      id: timeline[2]?.id,
      actor: bob,
      at: Date.parse('2026-01-01T00:02:00Z'),
    });
  });

  it('is the one the forge numbered last within a second, in whatever order they are listed', () => {
    const second = '2026-01-01T00:01:00Z';
    const early = { ...act('labeled', second, 'bot-bottle:a'), id: 70 };
    const late = { ...act('labeled', second, 'bot-bottle:a', bob), id: 71 };
    assert.equal(completingAct([late, early], 'a', [])?.actor, bob);
    assert.equal(completingAct([early, late], 'a', [])?.actor, bob);
  });

  it('is any kind of act that makes a trigger complete, and the latest by the forge’s clock', () => {
    const [early, late] = ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'];
    for (const last of [
      act('opened', late),
      act('reopened', late),
      act('labeled', late, 'bot-bottle:a'),
      act('assigned', late, 'member'),
    ]) {
      // Numbered earlier all the same.
      const before = { ...act('labeled', early, 'bot-bottle:a', bob), id: 1_000 };
      for (const timeline of [
        [before, last],
        [last, before],
      ])
        assert.equal(completingAct(timeline, 'a', ['member'])?.id, last.id, last.kind);
    }
    const other = [
      act('unlabeled', late, 'bot-bottle:a'),
      act('unassigned', late, 'member'),
      act('pushed', late),
    ];
    assert.equal(completingAct(other, 'a', ['member']), undefined);
    assert.equal(completingAct([act('opened', early, 'member')], 'a', [])?.actor, alice);
  });

  it('is later than another by the forge’s clock, and within a second by its number', () => {
    const later = (a: number, aId: number, b: number, bId: number): boolean =>
      isLaterAct({ actAt: a, actId: aId }, { actAt: b, actId: bId });
    assert.deepEqual(
      [later(2, 1, 1, 9), later(1, 9, 2, 1), later(1, 2, 1, 1), later(1, 1, 1, 1), later(1, 1, 1, 2)],
      [true, false, true, false, false],
    );
  });

  it('does not exist without such an act', () => {
    assert.equal(completingAct([act('closed', '2026-01-01T00:00:00Z')], 'a', []), undefined);
  });
});
