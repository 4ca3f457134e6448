import assert from 'node:assert/strict';
import type { MachineEvent, OperatorCommand } from '../../../../src/domain/run/events.js';
import type { OperatorCommandRow } from '../../../../src/domain/run/rows.js';
import type { MachineCommand } from '../../../../src/workflows/run/commands.js';
import { refusalOf } from '../../../../src/workflows/run/operator.js';
import { running } from '../../../support/machine/stages.js';
import { done, observed, trigger, World } from '../../../support/machine/world.js';

type Act = Pick<OperatorCommandRow, 'at' | 'who' | 'kind' | 'detail' | 'slug'>;

const acts = (commands: readonly MachineCommand[]): Act[] =>
  commands.flatMap((command) => (command.kind === 'record_command' ? [command.act] : []));

/** All that the machine wants done after an event. */
function after(world: World, event: MachineEvent): MachineCommand[] {
  const before = world.commands.length;
  world.feed(event);
  return world.commands.slice(before);
}

function give(world: World, command: OperatorCommand): Act[] {
  return acts(after(world, { kind: 'command', command, at: world.now }));
}

describe('the rows of what operators do', () => {
  it('say who, when, what and for which run, of every command that is accepted', () => {
    const world = running();
    const slug = world.state.life?.slug;
    const at = world.now;
    const by = 'alice@desk';
    assert.deepEqual(give(world, { kind: 'extend', ms: 5, by }), [
      { at, who: by, kind: 'extend', detail: { ms: 5 }, slug },
    ]);
    const more = { turns: 1, tokens: 2, microUsd: 3, dayEnds: null } as const;
    assert.deepEqual(give(world, { kind: 'budget', ...more, by }), [
      { at, who: by, kind: 'budget', detail: more, slug },
    ]);
    assert.deepEqual(give(world, { kind: 'done', status: 'success', by }), [
      { at, who: by, kind: 'done', detail: { status: 'success' }, slug },
    ]);
    world.endTurn();
    assert.deepEqual(give(world, { kind: 'destroy', by }), [
      { at, who: by, kind: 'destroy', detail: {}, slug },
    ]);
  });

  it('come before the rows of what the command does', () => {
    const world = World.triggered();
    world.liveTurn({ done });
    const frozen = after(world, { kind: 'command', command: { kind: 'freeze' }, at: world.now });
    const kinds = frozen.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['record_command', 'record_state']);
  });

  it('name nobody when the sender does not', () => {
    const world = running();
    const [act] = give(world, { kind: 'extend', ms: 5 });
    assert.equal(act?.who, 'unknown (Temporal)');
    assert.deepEqual(act.detail, { ms: 5 });
  });

  for (const by of ['', 'two words', 'a\u001b[2J', 'x'.repeat(129), 'a\u202eb']) {
    it(`are none of a command by ${JSON.stringify(by.slice(0, 20))}, which is refused`, () => {
      const world = running();
      assert.match(refusalOf(world.state, { kind: 'extend', ms: 5, by }) ?? '', /"by" must be/);
      assert.deepEqual(give(world, { kind: 'extend', ms: 5, by }), []);
      assert.equal(world.turn.extendedMs, 0);
    });
  }

  it('are none of a command that cannot apply', () => {
    const world = World.triggered();
    world.liveTurn({ done });
    assert.deepEqual(give(world, { kind: 'extend', ms: 5 }), []);
  });

  it('tell of a run that an operator started, too', () => {
    for (const [by, who] of [
      ['alice@desk', 'alice@desk'],
      ['not a name', 'unknown (Temporal)'],
    ] as const) {
      const world = new World();
      const asked = trigger(5, { actor: '', operator: { promptRef: 'p', by } });
      const [act] = acts(after(world, observed({ readAt: 6, trigger: asked })));
      const detail = { agent: 'implementer', bottles: [], pull: null, promptRef: 'p' };
      assert.deepEqual(act, { at: world.now, who, kind: 'start', detail, slug: world.state.life?.slug });
    }
    const byLabel = new World();
    assert.deepEqual(acts(after(byLabel, observed({ readAt: 6, trigger: trigger(5) }))), []);
  });
});
