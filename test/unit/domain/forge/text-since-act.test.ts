import assert from 'node:assert/strict';
import type { ForgeUser, TimelineAct } from '../../../../src/domain/forge/issue.js';
import { changesSince, type TextVersion } from '../../../../src/domain/forge/text-since-act.js';

const ALICE: ForgeUser = { id: 2, login: 'alice' };
const MALLORY: ForgeUser = { id: 66, login: 'mallory' };
const T = Date.parse('2026-11-22T21:00:00Z');
const iso = (seconds: number): string => new Date(T + seconds * 1000).toISOString();
const act = { actor: ALICE, at: T, id: 10 };

function edited(what: 'title' | 'ref', seconds: number, id: number, actor = MALLORY): TimelineAct {
  return { id, kind: 'edited', actor, at: iso(seconds), what };
}

describe('what was changed of a subject’s text since an act', () => {
  const labelled: TimelineAct = { id: 10, kind: 'labeled', actor: ALICE, at: iso(0), what: 'bot-bottle:x' };
  const shown = (
    changes: { touched?: number; version?: number; timeline?: TimelineAct[]; told?: TextVersion[] } = {},
  ): string[] => {
    const { touched = 0, version, timeline = [], told = [] } = changes;
    const issue = { updatedAt: iso(touched), ...(version === undefined ? {} : { contentVersion: version }) };
    return changesSince(act, issue, [labelled, ...timeline], told).map(
      ({ what, by }) => `${what} ${by?.login ?? '?'}`,
    );
  };
  const told = (version: number, at = T, actorId = ALICE.id): TextVersion => ({ actorId, at, version });

  const cases: Readonly<Record<string, [Parameters<typeof shown>[0], string[]]>> = {
    'nothing of a text that nobody ever touched, whatever else went on': [{ version: 0, touched: 60 }, []],
    'nothing of one that was written anew before': [{ version: 3, touched: 0 }, []],
    'perhaps the description, when something was touched later': [
      { version: 3, touched: 1 },
      ['description ?'],
    ],
    'the same where the forge does not count': [{ touched: 1 }, ['description ?']],
    'nothing where the forge does not count and nothing was touched': [{ touched: 0 }, []],
    'nothing of a description that is the one a delivery of the act has told': [
      { version: 3, touched: 60, told: [told(3)] },
      [],
    ],
    'the description that a delivery of the act has told otherwise, within one second': [
      { version: 4, touched: 0, told: [told(3)] },
      ['description ?'],
    ],
    'the earliest of several deliveries of that second': [
      { version: 4, touched: 0, told: [told(4), told(3)] },
      ['description ?'],
    ],
    'no word of deliveries of other acts': [
      { version: 3, touched: 9, told: [told(3, T + 9_000), told(3, T, MALLORY.id)] },
      ['description ?'],
    ],
    'a later title and base branch, by whom': [
      { version: 0, timeline: [edited('title', 1, 11), edited('ref', 2, 12)] },
      ['title mallory', 'ref mallory'],
    ],
    'within one second by the forge’s own order': [
      { version: 0, timeline: [edited('title', 0, 9), edited('ref', 0, 11)] },
      ['ref mallory'],
    ],
    'no title because of a label of that name': [
      { version: 0, timeline: [{ ...edited('title', 1, 11), kind: 'labeled' }] },
      [],
    ],
    'the last of several titles': [
      { version: 0, timeline: [edited('title', 1, 11), edited('title', 2, 12, ALICE)] },
      ['title alice'],
    ],
  };
  for (const [name, [given, expected]] of Object.entries(cases)) {
    it(`is ${name}`, () => {
      assert.deepEqual(shown(given), expected);
    });
  }
});
