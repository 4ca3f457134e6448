import assert from 'node:assert/strict';
import type { TimelineAct } from '../../../../src/domain/forge/issue.js';
import { completingAct, parseTriggerLabels } from '../../../../src/domain/forge/trigger.js';

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

  it('does not exist without such an act', () => {
    assert.equal(completingAct([act('closed', '2026-01-01T00:00:00Z')], 'a', []), undefined);
  });
});
