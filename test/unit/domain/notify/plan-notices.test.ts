import assert from 'node:assert/strict';
import {
  GIVE_UP_MS,
  MOST_BY_THEMSELVES,
  nextToTell,
  notesAfter,
  notesToForget,
  SETTLED_MS,
  waitingOf,
} from '../../../../src/domain/notify/plan-notices.js';
import type { Sent, Waiting } from '../../../../src/domain/notify/hooks.js';
import type { FrozenRun, NoticeRow } from '../../../../src/domain/run/notices.js';
import type { ProposalRow } from '../../../../src/domain/run/rows.js';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const proposal = (n: number, at = NOW - n): ProposalRow => ({
  slug: `run-${String(n)}`,
  id: n.toString(16).padStart(32, '0'),
  workflowId: `gitea:alice/demo#${String(n)}`,
  tool: 'pipelock-block',
  turn: 1,
  at,
  ref: 'a'.repeat(64),
  origin: 'agent',
});
const run = (changes: Partial<FrozenRun> = {}): FrozenRun => ({
  slug: 'coder-alice-demo.js-1-abcde',
  agentName: 'coder',
  issueUrl: 'https://git.example/alice/demo/issues/1',
  reason: 'blocked',
  since: NOW - SETTLED_MS,
  ...changes,
});
const some = (count: number): Waiting[] =>
  waitingOf(
    Array.from({ length: count }, (_, n) => proposal(n)),
    [],
  );
const frozenAt = (ms: number): Waiting[] => waitingOf([], [run({ since: NOW + ms })]);
const note = (waiting: Waiting | undefined, changes: Partial<NoticeRow> = {}): NoticeRow => ({
  ...{ id: waiting?.id ?? '', hook: 'command', state: 'told', tries: 0, firstAt: NOW, dueAt: NOW },
  ...changes,
});
const idsOf = (waiting: readonly Waiting[]): string[] => waiting.map(({ id }) => id);
const AGAIN: Sent = { kind: 'again', why: 'busy', retryAfterMs: null };
const at = (now: number): { hook: 'command'; now: number } => ({ hook: 'command', now });

describe('what people are told next', () => {
  it('is no host that was refused to an agent that did not ask for it', () => {
    assert.deepEqual(waitingOf([{ ...proposal(1), origin: 'refusal' }], []), []);
  });

  it('is what waits, oldest first, with ids without a dot that each freezing has for itself', () => {
    const waiting = waitingOf([proposal(1, NOW - 5)], [run(), run({ since: NOW - 60_000 })]);
    assert.deepEqual(idsOf(waiting), [
      `run-coder-alice-demo-js-1-abcde-${String(NOW - 60_000)}`,
      `run-coder-alice-demo-js-1-abcde-${String(NOW - SETTLED_MS)}`,
      `proposal-${'1'.padStart(32, '0')}`,
    ]);
  });

  it('is no run that may go on at once', () => {
    assert.deepEqual(nextToTell(frozenAt(-SETTLED_MS + 1), [], NOW), []);
    assert.equal(nextToTell(frozenAt(-SETTLED_MS), [], NOW).length, 1);
  });

  it('is a run that froze far ahead of now: the clock was set back since', () => {
    const ahead = (ms: number): number => nextToTell(frozenAt(ms), [], NOW).length;
    assert.deepEqual([0, SETTLED_MS - 1, SETTLED_MS, 365 * DAY].map(ahead), [0, 0, 1, 1]);
    // When that time comes it is told already.
    const waiting = frozenAt(365 * DAY);
    for (const now of [365 * DAY - 1, 365 * DAY + 1].map((ms) => NOW + ms)) {
      const notes = [note(waiting[0])];
      assert.deepEqual([notesToForget(waiting, notes), nextToTell(waiting, notes, now)], [[], []]);
    }
  });

  it('is what fails and would be due later than it was ever put off: the clock was set back since', () => {
    const [one] = some(1);
    assert.ok(one);
    const due = (ms: number): number =>
      nextToTell([one], [note(one, { state: 'failing', dueAt: NOW + ms })], NOW).length;
    assert.deepEqual([HOUR, HOUR + 1, 365 * DAY].map(due), [0, 1, 1]);
  });

  it('is one thing at a time, what was told or given up left out, what fails when it is due', () => {
    const waiting = some(4);
    const [a, b, c, d] = waiting;
    assert.deepEqual(nextToTell(waiting, [], NOW), [a]);
    const notes = [note(a), note(b, { state: 'given_up' }), note(c, { state: 'failing', dueAt: NOW + 1 })];
    assert.deepEqual(nextToTell(waiting, notes, NOW), [d]);
    assert.deepEqual(nextToTell(waiting, notes, NOW + 1), [c]);
    assert.deepEqual(nextToTell(waiting, [...notes, note(d)], NOW), []);
  });

  it('is all of it together when it would be a flood', () => {
    assert.equal(nextToTell(some(MOST_BY_THEMSELVES), [], NOW).length, 1);
    assert.equal(nextToTell(some(MOST_BY_THEMSELVES + 1), [], NOW).length, MOST_BY_THEMSELVES + 1);
  });

  it('is tried again after longer and longer, for a day', () => {
    const [one] = some(1);
    assert.ok(one);
    let notes: NoticeRow[] = [];
    const delays: number[] = [];
    let now = NOW;
    for (;;) {
      notes = notesAfter([one], notes, AGAIN, at(now));
      if (notes[0]?.state !== 'failing') break;
      delays.push((notes[0].dueAt - now) / 1_000);
      now = notes[0].dueAt;
    }
    assert.deepEqual(delays.slice(0, 8), [10, 30, 60, 300, 900, 3_600, 3_600, 3_600]);
    assert.equal(notes[0]?.state, 'given_up');
    assert.ok(now - NOW <= GIVE_UP_MS && now - NOW > GIVE_UP_MS - 3_600_000);
  });

  it('is given up after a day by the clock of now, when that was set back since the first failure', () => {
    const notes = [note(some(1)[0], { state: 'failing', tries: 9, firstAt: NOW + 365 * DAY })];
    const [after] = notesAfter(some(1), notes, AGAIN, at(NOW));
    assert.deepEqual([after?.state, after?.firstAt], ['failing', NOW]);
  });

  it('waits as long as the receiver asks, an hour at most', () => {
    const asked = (retryAfterMs: number): number =>
      (notesAfter(some(1), [], { ...AGAIN, retryAfterMs }, at(NOW))[0]?.dueAt ?? 0) - NOW;
    assert.deepEqual([0, 20_000, 1e12].map(asked), [10_000, 20_000, 3_600_000]);
  });

  it('is given up at once when trying again is of no use', () => {
    const [after] = notesAfter(some(1), [], { kind: 'final', why: 'no' }, at(NOW));
    assert.deepEqual([after?.state, after?.tries], ['given_up', 1]);
  });

  it('is forgotten when it waits no more', () => {
    const [a, b] = some(2);
    assert.ok(a && b);
    assert.deepEqual(notesToForget([a], [note(a), note(b)]), [b.id]);
  });
});
