import assert from 'node:assert/strict';
import { WITNESSES } from '../../../../src/domain/provenance/witness.js';
import { settledTurn, turnResult } from '../../../support/machine/world.js';

describe('whose word a field of the record is', () => {
  it('is said of fields that a turn has', () => {
    const detail = { ...turnResult({ offers: [] }), ...settledTurn(), egress: null };
    for (const name of Object.keys(WITNESSES.turn)) assert.ok(name.replace('detail.', '') in detail, name);
  });

  it('is the agent’s where it speaks of itself, and the sidecar’s where that counted', () => {
    assert.deepEqual(
      ['done', 'sessionId', 'model', 'egress', 'exitCode'].map((name) => WITNESSES.turn[`detail.${name}`]),
      ['agent', 'agent', 'bundle', 'bundle', undefined],
    );
  });
});
