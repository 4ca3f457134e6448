import assert from 'node:assert/strict';
import { agentReport, sessionOf } from '../../../../src/activities/turn/agent-report.js';
import { blankTurnRecord, TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import { CONTAINER_GONE } from '../../../../src/domain/run/turn.js';
import type { ReportedUse, StreamSummary } from '../../../../src/domain/agent/agent-stream.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';

const DONE = { id: 'd', status: 'success', summary: '', at: 1 } as const;

describe('what an agent’s output amounted to', () => {
  const world = useHostWorld();

  const use = (inputTokens: number): ReportedUse => ({
    inputTokens,
    cachedTokens: 0,
    outputTokens: 1,
    usd: null,
  });
  const summary = (inputTokens: number | null, changes: Partial<StreamSummary> = {}): StreamSummary => ({
    ...{ outcome: 'finished', error: '', sessionId: 's', toolCalls: 3, denials: 1 },
    reported: inputTokens === null ? null : { use: use(inputTokens), tokensOf: 'session', costOf: 'session' },
    ...changes,
  });
  async function report(of: StreamSummary, turn = 4, sessionId: string | null = 's') {
    const { files, clock } = world.ports;
    await files.writeTurn(SLUG, { ...blankTurnRecord(turn), sessionId });
    const journal = await TurnJournal.open(files, SLUG, turn, clock);
    const made = await agentReport(world.ports, await world.turning({ turn }), journal, of);
    return { made, journal };
  }
  const turnBefore = (turn: number, sessionId: string | null, inputTokens: number | null): Promise<void> =>
    world.ports.files.writeTurn(SLUG, {
      ...{ ...blankTurnRecord(turn), sessionId },
      reported: inputTokens === null ? null : use(inputTokens),
    });

  it('is told with the error’s text as a blob, and noted for the turn after', async () => {
    const { made, journal } = await report(summary(100, { error: 'out of words' }));
    const { errorRef, ...rest } = made;
    assert.equal(await world.ports.blobs.getText(errorRef ?? ''), 'out of words');
    assert.deepEqual(rest, { outcome: 'finished', toolCalls: 3, denials: 1, reported: use(100) });
    assert.deepEqual(journal.record.reported, use(100));
  });

  it('is nothing of use where the CLI printed none', async () => {
    await turnBefore(3, 's', 70);
    const { made, journal } = await report(summary(null));
    assert.deepEqual([made.reported, made.errorRef, journal.record.reported], [null, null, null]);
  });

  for (const [what, before, tokens] of [
    ['less what the turn before had printed', [[3, 's', 70]], 30],
    [
      'less what an earlier one had, where that printed nothing',
      [
        [3, 's', null],
        [1, 's', 60],
      ],
      40,
    ],
    [
      'all of it where the session is another one',
      [
        [3, 'other', 70],
        [2, 's', 60],
      ],
      100,
    ],
    ['all of it in the first turn', [], 100],
  ] as const)
    it(`is ${what}`, async () => {
      for (const [turn, session, had] of before) await turnBefore(turn, session, had);
      assert.equal((await report(summary(100))).made.reported?.inputTokens, tokens);
    });

  it('is all of it of a CLI without sessions', async () => {
    await turnBefore(3, null, 70);
    assert.equal((await report(summary(100), 4, null)).made.reported?.inputTokens, 100);
  });

  for (const [what, goesOn, record, printed, expected] of [
    ['the one it went on with', 'older', {}, null, 's'],
    ['the one that was printed', null, {}, 's', 's'],
    ['none that was not begun', null, {}, null, null],
    ['the one in which it said that it was done', null, { done: DONE }, null, 's'],
    ['one that may have been begun where nobody reads it', null, { setAside: 'deadly' }, null, 's'],
    ['none where none was given', null, { done: DONE, sessionId: null }, null, null],
  ] as const)
    it(`leaves ${what} as its session`, () => {
      const of = { ...blankTurnRecord(1), sessionId: 's', ...record };
      assert.equal(sessionOf({ sessionId: goesOn }, of, { sessionId: printed }, 137), expected);
    });

  it('leaves one that may have been begun in a container that is gone', () => {
    const of = { ...blankTurnRecord(1), sessionId: 's' };
    assert.equal(sessionOf({ sessionId: null }, of, { sessionId: null }, CONTAINER_GONE), 's');
  });
});
