import assert from 'node:assert/strict';
import type { HomePorts } from '../../../../src/activities/ports/home-ports.js';
import { tellFrozen } from '../../../../src/activities/rows/tell-frozen.js';
import { FakeForge } from '../../../support/webhook/fake-forge.js';

describe('telling the forge that a run froze', () => {
  const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
  const told = async (reacts: boolean): Promise<string[]> => {
    const left: string[] = [];
    const react = (number: number, reaction: string): Promise<void> => {
      left.push(`${String(number)} ${reaction}`);
      return Promise.resolve();
    };
    const ports = { forgeFor: () => ({ ...new FakeForge().bind(), react }), settings: { reacts } };
    await tellFrozen(ports as unknown as HomePorts, { subject });
    return left;
  };

  it('is the reaction of a refused trigger, and nothing where reactions are off', async () => {
    assert.deepEqual(await told(true), ['12 confused']);
    assert.deepEqual(await told(false), []);
  });
});
