import assert from 'node:assert/strict';
import { ownActs } from '../../../../src/cli/doctor/own-acts.js';
import { ownActReason } from '../../../../src/domain/forge/trigger.js';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const own = (subject: string, daysAgo: number): { subject: string; at: number; reason: string } => ({
  subject,
  at: NOW - daysAgo * DAY_MS,
  reason: ownActReason('bot'),
});

describe('triggers that were the bot’s own acts', () => {
  it('are told of for a week, with their number and the last of them', () => {
    const other = { ...own('a/b#9', 0), reason: ownActReason('somebody') };
    const [problem, more] = ownActs('bot', [other, own('a/b#3', 1), own('a/b#2', 6), own('a/b#1', 8)], NOW);
    assert.equal(more, undefined);
    assert.equal(problem?.severity, 'warning');
    assert.match(problem.message, /^bot itself has labelled or assigned, 2 times in 7 days, .* on a\/b#3:/);
  });

  it('are nothing where there were none of late', () => {
    assert.deepEqual(ownActs('bot', [own('a/b#1', 8)], NOW), []);
  });
});
