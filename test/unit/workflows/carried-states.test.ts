import assert from 'node:assert/strict';
import { isRecord } from '../../../src/domain/base/is-record.js';
import { initialState, newLife, newTurn } from '../../../src/workflows/run/beginnings.js';
import type { IssueState } from '../../../src/workflows/run/state.js';
import { step } from '../../../src/workflows/run/step.js';
import { viewOf } from '../../../src/workflows/run-view.js';
import { migrate, STATE_VERSION } from '../../../src/workflows/version.js';
import { saveStates, savedStates, statesOfToday } from '../../support/machine/carried-states.js';
import { everyEvent } from '../../support/machine/every-event.js';
import { POLICY, SUBJECT, trigger } from '../../support/machine/world.js';

const ENV = { now: 1_000_000, random: () => 0.5, isFull: false };
const NEW_SHAPE =
  'what runs carry has another shape than what is committed of this version: raise STATE_VERSION in ' +
  'src/workflows/version.ts, add a step there, and commit states of the new version: npm run record:states';

/** `life.proposals[].id` */
function keysOf(value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one) => keysOf(one, `${at}[]`));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [`${at}.${key}`, ...keysOf(inner, `${at}.${key}`)]);
}

function lacking(value: object | undefined, model: object): readonly string[] {
  return Object.keys(model).filter((key) => !(key in (value ?? {})));
}

describe('what runs carry', () => {
  before(() => {
    if (process.env['BOT_BOTTLE_RECORD_HISTORIES'] !== undefined) saveStates();
  });

  for (const { name, input } of savedStates()) {
    const carried = (): IssueState => {
      const migrated = migrate(input).carried;
      assert.ok(migrated !== undefined);
      return migrated;
    };

    it(`${name}: is read, and takes every event, and then every other`, () => {
      const first = carried();
      viewOf(first);
      for (const event of everyEvent(first)) {
        const { state } = step(first, event, ENV);
        viewOf(state);
        for (const next of everyEvent(state)) viewOf(step(state, next, ENV).state);
      }
    });

    it(`${name}: lacks nothing that a fresh state has`, () => {
      const state = carried();
      const fresh = newLife('s', trigger(1));
      assert.deepEqual(lacking(migrate(input).policy, POLICY), []);
      assert.deepEqual(lacking(state, initialState(SUBJECT, POLICY)), []);
      assert.deepEqual(lacking(state.policy, POLICY), []);
      if (state.life === null) return;
      assert.deepEqual(lacking(state.life, fresh), []);
      assert.deepEqual(lacking(state.life.work, fresh.work), []);
      assert.deepEqual(lacking(state.life.turn, newTurn(1, { kind: 'first' }, null, [])), []);
    });
  }

  it('has the shape that is committed of its version', () => {
    const saved = new Map(savedStates().map(({ name, input }) => [name, input]));
    for (const { name, input } of statesOfToday())
      assert.deepEqual(
        [...new Set(keysOf(input))].sort(),
        [...new Set(keysOf(saved.get(name)))].sort(),
        `${name}: ${NEW_SHAPE}`,
      );
  });
});

describe('state of version 1', () => {
  const of = (name: string): ReturnType<typeof savedStates>[number]['input'] => {
    const found = savedStates().find((one) => one.name === `1/${name}`);
    assert.ok(found !== undefined);
    return found.input;
  };

  it('is as it was where it has all that there is', () => {
    for (const name of ['asleep', 'proposals'])
      assert.deepEqual(migrate(of(name)), { ...of(name), v: STATE_VERSION });
  });

  it('is still withheld where nobody asked for the run', () => {
    const { life } = migrate(of('untriggered')).carried ?? {};
    assert.equal(life?.withheld, 'untriggered');
    assert.equal('untriggered' in life, false);
    assert.equal(migrate(of('before-moves')).carried?.life?.withheld, null);
  });

  it('has proposals that nobody waits for any more', () => {
    const { life } = migrate(of('proposals-not-held')).carried ?? {};
    assert.deepEqual(
      life?.proposals.map(({ heldUntil }) => heldUntil),
      [0, 0],
    );
  });

  it('is what a run begins with, too', () => {
    assert.deepEqual(migrate({ v: 1 }).policy, { hostSilentMs: 120_000, superviseHoldMs: 240_000 });
  });
});
