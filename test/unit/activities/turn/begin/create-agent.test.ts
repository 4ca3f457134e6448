import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../../../src/activities/ports/inputs.js';
import { createAgent } from '../../../../../src/activities/turn/begin/create-agent.js';
import type { BottleSetup } from '../../../../../src/domain/bottle/bottle-setup.js';
import type { ContainerState, OwnedObject } from '../../../../../src/domain/bottle/bottle-runtime.js';
import { PREPARED } from '../../../../support/machine/world.js';

const IMAGE = 'sha256:image';
const SLUG = 'impl-alice-demo-12-abcde';
const LAST_CHECKIN = Date.parse('2026-01-01T00:10:00.500Z');
const HOME = { type: 'volume', role: 'home', name: `bb-${SLUG}-home`, slug: SLUG, running: false } as const;

/** How many snapshots are looked at when the agent is made for a turn. */
async function restored(
  turn: number,
  { home, status = 'created' }: { readonly home: string | null; readonly status?: ContainerState['status'] },
  removed: string[] = [],
  moved?: 'kept' | 'lost',
  finishedAt = '2026-01-01T00:10:01.000000000Z',
): Promise<number> {
  let count = 0;
  const objects: OwnedObject[] = home === null ? [] : [{ ...HOME, createdAt: home }];
  const ports = {
    settings: { containerRuntime: null },
    clock: { now: () => LAST_CHECKIN + 60_000 },
    runtime: {
      inspect: () => Promise.resolve(turn === 1 ? undefined : { imageId: IMAGE, finishedAt }),
      remove: (_: string, role: string) => {
        removed.push(role);
        return Promise.resolve();
      },
      createAgent: () => Promise.resolve({ status }),
      list: () => Promise.resolve(objects),
    },
    files: {
      paths: () => ({}),
      listFiles: () => Promise.resolve(['turn-1.tar']),
      readFile: () => {
        count += 1;
        return Promise.resolve(undefined);
      },
      // Turn 2 was prepared and never begun.
      readTurn: (_: string, of: number) =>
        Promise.resolve(of === 1 ? { lastCheckinAt: LAST_CHECKIN } : undefined),
    },
  } as unknown as HostPorts;
  const input = { slug: SLUG, turn, prepared: PREPARED, ...(moved && { moved }) } as RunTurnInput;
  await createAgent(ports, input, { runtime: null } as BottleSetup, turn === 3 ? 'sha256:another' : IMAGE);
  return count;
}

describe('the session of a new agent container', () => {
  it('is restored when its home is younger than the last turn that was run', async () => {
    assert.equal(await restored(2, { home: '2026-01-01T00:11:00Z' }), 1);
    assert.equal(await restored(3, { home: '2026-01-01T00:11:00Z' }), 1);
    assert.equal(await restored(2, { home: '2026-01-01T00:10:00Z' }), 1, 'the engine gives whole seconds');
    assert.equal(await restored(2, { home: null }), 1);
  });

  it('is left as it is in a home that the last turn wrote to: the snapshot may be shorter', async () => {
    assert.equal(await restored(2, { home: '2026-01-01T00:00:00Z' }), 0);
    assert.equal(await restored(3, { home: '2026-01-01T00:00:00Z' }), 0);
  });

  it('is not restored where the run is in a fresh one, since this host has an older end of it', async () => {
    assert.equal(await restored(2, { home: null }, [], 'lost'), 0);
    assert.equal(await restored(2, { home: null }, [], 'kept'), 1);
  });

  it('is nobody’s business in the first turn, and in a container that is adopted', async () => {
    assert.equal(await restored(1, { home: null }), 0);
    assert.equal(await restored(2, { home: null, status: 'exited' }), 0);
  });

  it('stays in its home when the container is replaced, since the image is another one', async () => {
    const removed: string[] = [];
    await restored(2, { home: '2026-01-01T00:00:00Z' }, removed);
    assert.deepEqual(removed, []);
    assert.equal(await restored(3, { home: '2026-01-01T00:00:00Z' }, removed), 0);
    assert.deepEqual(removed, ['agent']);
  });

  it('stays there, too, when the clock was set back since the container ran: its log would be taken for the turn’s', async () => {
    const removed: string[] = [];
    const home = '2026-01-01T00:00:00Z';
    assert.equal(await restored(2, { home }, removed, undefined, '2026-01-01T05:40:01.000000000Z'), 0);
    assert.deepEqual(removed, ['agent']);
    await restored(2, { home }, removed, undefined, '0001-01-01T00:00:00Z');
    assert.deepEqual(removed, ['agent'], 'one that never ran');
  });
});
