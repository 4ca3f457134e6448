import assert from 'node:assert/strict';
import { isBusy, isQuiescent, silentSince, type Phase } from '../../../../src/workflows/run/phase.js';
import { SHOWN, STAGES } from '../../../support/machine/stages.js';
import { World } from '../../../support/machine/world.js';

const PHASES: Readonly<Record<string, Phase>> = {
  'claiming and preparing': 'queued',
  'claimed, preparing': 'queued',
  'a turn that cannot start': 'launching',
  running: 'running',
  attaching: 'running',
  'being stopped': 'freezing',
  'being stopped, untriggered': 'freezing',
  'signalled done': 'freezing',
  settling: 'freezing',
  'settling, untriggered': 'freezing',
  frozen: 'frozen',
  archiving: 'frozen',
  'archiving, with a turn to come': 'frozen',
  'running on a host that is silent': 'running',
  'settling on a host that is silent': 'freezing',
  'claiming another host': 'rehydrating',
  'preparing to go on': 'rehydrating',
  'running again': 'running',
  destroying: 'destroying',
  destroyed: 'destroyed',
};
const RESTING = ['frozen', 'destroyed'];

describe('the phase of a run, as people see it', () => {
  for (const [name, begin] of [
    ...Object.entries(STAGES),
    ['destroying', SHOWN['destroying']],
    ['destroyed', SHOWN['destroyed']],
  ] as const)
    it(`is ${String(PHASES[name])}: ${name}`, () => {
      assert.ok(begin !== undefined);
      const world = begin();
      assert.equal(world.phase, PHASES[name]);
      assert.equal(world.reason, world.phase === 'frozen' ? 'done' : null);
      assert.equal(isBusy(world.life), !RESTING.includes(name), 'something is under way');
      assert.equal(isQuiescent(world.state), name === 'frozen', 'its history may be cut');
      assert.equal(silentSince(world.state), name.includes('silent') ? 900_000 : null);
    });

  it('is rehydrating while the agent of a later turn starts', () => {
    const world = World.frozenDone();
    world.command({ kind: 'resume', promptRef: null });
    world.prepare();
    assert.equal(world.phase, 'rehydrating');
  });

  it('is idle before the first trigger, with nothing that must not be cut', () => {
    const { state, phase } = new World();
    assert.deepEqual([phase, isQuiescent(state), silentSince(state)], ['idle', true, null]);
  });
});
