import assert from 'node:assert/strict';
import {
  isOffered,
  isWrong,
  whyNotOffered,
  type AgentStanding,
} from '../../../../src/domain/agent/agent-standing.js';

const READY = { kind: 'ready', provider: 'claude' } as const;
const UNSET = { kind: 'lacks', why: 'no key', isUnset: true } as const;
const UNBOUND = { kind: 'lacks', why: 'not bound', isUnset: false } as const;
const BROKEN = { kind: 'broken', why: 'x.md:2: no' } as const;
const OWN = { isOwn: true, isStandIn: false };
const BUILT_IN = { isOwn: false, isStandIn: false };
const STAND_IN = { isOwn: false, isStandIn: true };
const OWN_STAND_IN = { isOwn: true, isStandIn: true };

describe('an agent', () => {
  const rows: readonly [
    string,
    Pick<AgentStanding, 'isOwn' | 'isStandIn' | 'verdict'>,
    string | null,
    boolean,
  ][] = [
    ['that can run', { ...BUILT_IN, verdict: READY }, null, false],
    ['of the operator that can run', { ...OWN, verdict: READY }, null, false],
    [
      'that stands in for one',
      { ...STAND_IN, verdict: READY },
      'it stands in for an agent in demos and tests',
      false,
    ],
    ['of the operator that stands in for one', { ...OWN_STAND_IN, verdict: READY }, null, false],
    ['whose key was never set', { ...BUILT_IN, verdict: UNSET }, 'no key', false],
    ['of the operator whose key was never set', { ...OWN, verdict: UNSET }, 'no key', true],
    ['whose key cannot be used', { ...BUILT_IN, verdict: UNBOUND }, 'not bound', true],
    ['that stands in for one and cannot run', { ...STAND_IN, verdict: UNBOUND }, 'not bound', true],
    ['whose manifest is broken', { ...BUILT_IN, verdict: BROKEN }, 'x.md:2: no', true],
    ['of the operator whose manifest is broken', { ...OWN, verdict: BROKEN }, 'x.md:2: no', true],
  ];
  for (const [what, standing, why, wrong] of rows)
    it(`${what} is ${why === null ? 'offered' : `not offered: ${why}`}${wrong ? ', and something is wrong' : ''}`, () => {
      const agent = { name: 'a', providers: [], image: null, ...standing };
      assert.deepEqual([isOffered(agent), whyNotOffered(agent), isWrong(agent)], [why === null, why, wrong]);
    });
});
