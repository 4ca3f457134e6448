import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { pruneInbox } from '../../../../src/wiring/webhook/prune-inbox.js';

describe('what is old in the inbox', () => {
  before(() => {
    mock.timers.enable({ apis: ['setInterval'] });
  });
  after(() => {
    mock.timers.reset();
  });

  it('is removed every hour, also after a full disk, until that is stopped', () => {
    const errors: string[] = [];
    let tries = 0;
    const prune = (): number => {
      tries += 1;
      if (tries === 1) throw new Error('database or disk is full');
      return 0;
    };
    const stop = pruneInbox({ prune }, (message, error) => errors.push(`${message}: ${String(error)}`));
    mock.timers.tick(3_600_000);
    assert.match(errors.join(), /trying again in an hour: Error: database or disk is full/);
    mock.timers.tick(3_600_000);
    stop();
    mock.timers.tick(3_600_000);
    assert.deepEqual([tries, errors.length], [2, 1]);
  });
});
