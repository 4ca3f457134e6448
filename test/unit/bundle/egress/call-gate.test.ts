import assert from 'node:assert/strict';
import { CallGate } from '../../../../src/bundle/egress/call-gate.js';

describe('the calls of a minute', () => {
  it('are as many as there may be, and then the seconds until more are taken', () => {
    let now = 5_000;
    const gate = new CallGate(2, () => now);
    assert.deepEqual([gate.take(), gate.take()], [0, 0]);
    assert.equal(gate.take(), 60);
    now += 500;
    assert.equal(gate.take(), 60);
    now += 58_600;
    assert.equal(gate.take(), 1);
    now += 899;
    assert.equal(gate.take(), 1, 'never 0 for one too many');
    now += 1;
    assert.deepEqual([gate.take(), gate.take(), gate.take()], [0, 0, 60]);
  });
});
