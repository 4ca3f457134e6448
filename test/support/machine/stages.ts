/** Worlds at every place where a life can be. */
import type { MachineEvent } from '../../../src/domain/run/events.js';
import { done, observed, World } from './world.js';

export const FREEZE = { kind: 'command', command: { kind: 'freeze' }, at: 1_000_000 } as const;
export const MOVE = { kind: 'command', command: { kind: 'move' }, at: 1_000_000 } as const;

export function after(world: World, ...events: readonly MachineEvent[]): World {
  for (const event of events) world.feed(event);
  return world;
}

export function running(): World {
  const world = World.triggered();
  world.start();
  return world;
}

export function settling(): World {
  const world = running();
  world.finish({ done });
  return world;
}

/** The host fell silent under a turn, and was left. */
function left(): World {
  return after(running(), silent(1), MOVE);
}

export function silent(turn: number): MachineEvent {
  return { kind: 'host_silent', turn, since: 900_000 };
}

/** Its turn is prepared, and its agent was not seen to start. */
export function starting(): World {
  const world = World.triggered();
  world.prepare();
  return world;
}

function archiving(): World {
  const world = World.frozenDone();
  return after(world, { kind: 'archive', slug: world.life.slug });
}

function attaching(): World {
  const world = running();
  world.pay('run');
  return after(world, { kind: 'turn_lost', turn: 1, reason: null });
}

function destroying(): World {
  return after(World.frozenDone(), { kind: 'lost', readAt: 90_000, why: 'gone' });
}

function destroyed(): World {
  const world = destroying();
  world.destroyed();
  return world;
}

/** From its first step to its last but one: what can be called off. */
export const STAGES: Readonly<Record<string, () => World>> = {
  'claiming and preparing': () => World.triggered(),
  'claimed, preparing': () => {
    const world = World.triggered();
    world.pay('claim');
    return after(world, { kind: 'host_claimed', host: 'h1' });
  },
  'a turn that cannot start': () => {
    const world = starting();
    return after(world, { kind: 'turn_held_up', slug: world.life.slug, turn: 1, reason: 'no engine' });
  },
  running,
  attaching,
  'being stopped': () => after(running(), FREEZE),
  'being stopped, untriggered': () => after(running(), observed({ readAt: 20, triggered: false })),
  'signalled done': () => {
    const world = running();
    return after(world, { kind: 'signal_done', slug: world.life.slug, turn: 1, done });
  },
  settling,
  'settling, untriggered': () => after(settling(), observed({ readAt: 20, triggered: false })),
  frozen: () => World.frozenDone(),
  archiving,
  'archiving, with a turn to come': () =>
    after(archiving(), { kind: 'command', command: { kind: 'resume', promptRef: null }, at: 1 }),
  'running on a host that is silent': () => after(running(), silent(1)),
  'settling on a host that is silent': () => after(settling(), silent(1)),
  'claiming another host': left,
  'preparing to go on': () => World.woken(),
  'running again': () => {
    const world = World.woken();
    world.start();
    return world;
  },
};

/** One of each stage, and of its phases where they differ, for people. */
export const SHOWN: Readonly<Record<string, () => World>> = {
  'preparing: the prompt is made, a host claimed': () => World.woken(),
  'running: the bottle starts': starting,
  'running: the agent is at work': running,
  'running: it has signalled that it is done, or is being stopped': () => after(running(), FREEZE),
  'running or settling: its host does not answer': () => after(running(), silent(1)),
  'settling: what it left is collected and published': settling,
  'frozen: nothing runs, and any event wakes it (here: done)': () => World.frozenDone(),
  'frozen: paused by the operator': () => after(World.frozenDone(), FREEZE),
  'frozen: its containers are being put away': archiving,
  destroying,
  destroyed,
};
