import assert from 'node:assert/strict';
import { noteCheckins } from '../../../../src/activities/rows/note-checkins.js';
import type { WatchedTurn } from '../../../../src/domain/run/watched-turn.js';
import { stateRow } from '../../../support/webhook/rows.js';

describe('when the agents at work were last heard of', () => {
  it('is written down for the turn that is watched, and for none of another life or that has not begun', async () => {
    const rows = [1, 2, 3, 4].map((issueNumber) => stateRow({ issueNumber }));
    const slugOf = (number: number): string => `coder-alice-demo-${String(number)}-abc12`;
    const watched: Readonly<Record<string, WatchedTurn>> = {
      'gitea:alice/demo#1': { slug: slugOf(1), turn: 1, lastCheckinAt: 5 },
      'gitea:alice/demo#2': { slug: 'coder-alice-demo-2-later', turn: 1, lastCheckinAt: 6 },
      'gitea:alice/demo#3': { slug: slugOf(3), turn: 1, lastCheckinAt: null },
    };
    const noted: [string, number, number][] = [];
    await noteCheckins({
      database: {
        forgeState: {
          running: () => Promise.resolve(rows),
          checkedIn: (slug: string, at: number, now: number) =>
            Promise.resolve(void noted.push([slug, at, now])),
        },
      },
      watched: { of: (workflowId: string) => Promise.resolve(watched[workflowId]) },
      now: () => 9,
    } as unknown as Parameters<typeof noteCheckins>[0]);
    assert.deepEqual(noted, [[slugOf(1), 5, 9]]);
  });
});
