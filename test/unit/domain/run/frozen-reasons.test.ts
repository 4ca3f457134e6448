import assert from 'node:assert/strict';
import { FROZEN_REASONS } from '../../../../src/domain/run/frozen-reasons.js';

describe('why a run is frozen', () => {
  const reasonsThat = (of: 'wakes' | 'isToldOnForge'): string[] =>
    Object.entries(FROZEN_REASONS).flatMap(([reason, meaning]) => (meaning[of] ? [reason] : []));

  it('keeps what people write waiting where it waits for its operator, its trigger, its budget or its provider', () => {
    const waiting = Object.keys(FROZEN_REASONS).filter((reason) => !reasonsThat('wakes').includes(reason));
    assert.deepEqual(waiting.sort(), ['budget', 'limited', 'paused', 'unserved', 'untriggered']);
  });

  it('is told on the forge where somebody has to do something there', () => {
    assert.deepEqual(reasonsThat('isToldOnForge').sort(), ['blocked', 'budget', 'failed']);
  });
});
