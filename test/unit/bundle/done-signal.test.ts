import assert from 'node:assert/strict';
import { DoneSignal } from '../../../src/bundle/done-signal.js';

describe('signal_done', () => {
  let sent: string[];
  let fault: Error | undefined;
  let signal: DoneSignal;

  beforeEach(() => {
    sent = [];
    fault = undefined;
    signal = new DoneSignal({
      slug: 'coder-alice-demo-12-abc12',
      turn: 1,
      send: (id) => {
        if (fault !== undefined) return Promise.reject(fault);
        sent.push(id);
        return Promise.resolve();
      },
    });
  });

  it('is one message, however often it is said', async () => {
    await Promise.all([signal.signal('success', 'ready'), signal.signal('success', 'ready')]);
    await signal.signal('success', 'ready');
    assert.equal(sent.length, 1);
  });

  it('counts as said only when it was written: after a failed write it may be said again, and otherwise', async () => {
    fault = new Error('disk full');
    await assert.rejects(signal.signal('success', 'ready'), /disk full/);
    fault = undefined;
    await signal.signal('blocked', 'not after all');
    assert.equal(sent.length, 1);
    await assert.rejects(signal.signal('success', 'ready'), /already signalled as "blocked"/);
  });
});
