import assert from 'node:assert/strict';
import { running } from '../../../support/machine/stages.js';
import {
  agentReport,
  comment,
  done,
  failing,
  kinds,
  PUBLISHED,
  World,
  wrote,
} from '../../../support/machine/world.js';

/** A turn that pushes a commit. */
function turn(world: World, head: string): void {
  world.liveTurn(
    { done },
    { publish: { kind: 'published', pr: 13, prUrl: 'u', head, created: false }, head },
  );
}

describe('failed checks', () => {
  it('wake a frozen run once for one head and set of failures', () => {
    const world = World.frozenDone();
    assert.deepEqual(kinds(world.feed(wrote(failing('h')))), ['prepare_turn']);
    assert.deepEqual(
      world.turn.taken.map(({ key }) => key),
      ['checks:h:x'],
    );
    world.liveTurn({ done });
    assert.equal(world.phase, 'frozen');
    assert.deepEqual(world.feed(wrote(failing('h'))), []);
    assert.deepEqual(kinds(world.feed(wrote(failing('h', 'xy')))), ['prepare_turn'], 'another set');
  });

  it('of somebody else’s commit wake nothing, nor those of an older push', () => {
    const world = World.frozenDone();
    assert.deepEqual(world.feed(wrote(failing('theirs'))), []);
    assert.deepEqual(world.life.mailbox.waiting, []);
    world.feed(wrote(comment(1)));
    turn(world, 'h2');
    assert.deepEqual(world.feed(wrote(failing('h'))), []);
    assert.deepEqual(kinds(world.feed(wrote(failing('h2')))), ['prepare_turn']);
  });

  it('of a person’s commit that the agent only took over are not its own', () => {
    const world = World.woken();
    const publish = { kind: 'published', pr: 13, prUrl: 'u', head: 'theirs', created: false } as const;
    world.liveTurn({ done }, { publish: { ...publish, unchanged: true }, head: 'theirs' });
    assert.deepEqual(world.feed(wrote(failing('theirs'))), []);
  });

  it('that came while the agent worked wake it when it is known to have pushed that commit', () => {
    const world = running();
    world.feed(wrote(failing('h1'), failing('h2')));
    const { slug } = world.life;
    assert.ok(slug !== '');
    const first = { kind: 'published', pr: 13, prUrl: 'u', head: 'h1', created: true } as const;
    world.feed({ kind: 'published', requestId: 'r', result: first });
    world.endTurn({ done }, { publish: { ...first, head: 'h2', created: false }, head: 'h2' });
    assert.equal(world.phase, 'rehydrating');
    assert.deepEqual(
      world.turn.taken.map(({ sha }) => sha),
      ['h2'],
    );
  });

  it('are told once, as they stand', () => {
    const world = running();
    world.feed(wrote(failing('h', 'a')));
    world.feed(wrote(failing('h', 'ab')));
    world.endTurn({ done }, { publish: PUBLISHED });
    assert.deepEqual(
      world.turn.taken.map(({ key }) => key),
      ['checks:h:ab'],
    );
  });

  it('wake it three times in a row, then people see that it has stopped, once, and it stays frozen', () => {
    const world = World.frozenDone();
    for (const [index, head] of ['h', 'h1', 'h2'].entries()) {
      assert.deepEqual(kinds(world.feed(wrote(failing(head)))), ['prepare_turn'], head);
      turn(world, `h${String(index + 1)}`);
    }
    const stopped = world.feed(wrote(failing('h3')));
    const [told] = stopped;
    assert.deepEqual(kinds(stopped), ['tell_checks_stopped']);
    assert.ok(told?.kind === 'tell_checks_stopped' && told.input.pr === 13);
    assert.deepEqual([world.phase, world.reason], ['frozen', 'done']);
    assert.match(world.life.detail ?? '', /failed checks have woken the run 3 times in a row/);
    assert.match(world.life.timeline.at(-1)?.what ?? '', /no more until a person does/);
    assert.deepEqual(world.feed(wrote(failing('h3', 'xy'))), [], 'said once');
    // A person wakes it, is told what fails beside, and the count begins anew.
    assert.deepEqual(kinds(world.feed(wrote(comment(1)))), ['prepare_turn']);
    assert.deepEqual(
      world.turn.taken.map(({ kind }) => kind),
      ['checks', 'comment'],
    );
    turn(world, 'h4');
    for (const [index, head] of ['h4', 'h5', 'h6'].entries()) {
      assert.deepEqual(kinds(world.feed(wrote(failing(head)))), ['prepare_turn'], head);
      turn(world, `h${String(index + 5)}`);
    }
    assert.deepEqual(kinds(world.feed(wrote(failing('h7')))), ['tell_checks_stopped']);
  });

  it('are counted anew after the operator’s word, and not where there was nothing to tell', () => {
    const world = World.frozenDone();
    for (let count = 0; count < 5; count += 1) {
      world.feed(wrote(failing('h', String(count))));
      world.nothingLeft();
      assert.equal(world.phase, 'frozen', 'green again');
    }
    for (const names of ['a', 'b', 'c']) {
      world.feed(wrote(failing('h', names)));
      world.liveTurn({ done });
    }
    world.command({ kind: 'resume', promptRef: null });
    world.liveTurn({ done });
    assert.deepEqual(kinds(world.feed(wrote(failing('h', 'd')))), ['prepare_turn']);
  });

  it('wait with everything else while the run is paused', () => {
    const world = World.frozenDone();
    world.command({ kind: 'freeze' });
    assert.deepEqual(world.feed(wrote(failing('h'))), []);
    world.command({ kind: 'resume', promptRef: null });
    assert.deepEqual(
      world.turn.taken.map(({ kind }) => kind),
      ['checks'],
    );
  });

  it('that woke an agent count, also when the turn that goes on with it has nothing to tell', () => {
    const world = World.frozenDone();
    world.feed(wrote(failing('h')));
    world.liveTurn({ exitCode: 137, agent: agentReport('crashed') });
    assert.equal(world.turn.cause.kind, 'interrupted');
    const { wakes } = world.life;
    world.nothingLeft();
    assert.deepEqual([world.life.checkWakes, world.life.wakes], [1, wakes]);
  });
});
