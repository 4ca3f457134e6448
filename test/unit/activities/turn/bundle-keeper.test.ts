import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { keepBundle } from '../../../../src/activities/turn/bundle-keeper.js';
import { TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { SLUG } from '../../../support/host/host-world.js';
import { passTimeUntil } from '../../../support/turn/pass-time.js';
import { TurnWorld } from '../../../support/turn/turn-world.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';

describe('the keeper of a turn’s sidecar', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  let journal: TurnJournal;
  let turn: AbortController;
  /** What has been done when the sidecar’s messages are taken in. */
  let takenInAfter: string[][];
  let kept: Promise<'ended' | 'gave_up'>;

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    world = await TurnWorld.open(newPath());
    turn = new AbortController();
    takenInAfter = [];
    const { files, clock } = world.ports;
    journal = await TurnJournal.open(files, SLUG, 1, clock);
    world.put('bundle', { status: 'running' });
    const takeIn = (): Promise<void> => Promise.resolve(void takenInAfter.push([...world.asked]));
    kept = keepBundle(world.ports, await world.host.turning(), journal, turn.signal, takeIn);
  });
  afterEach(async () => {
    turn.abort();
    await kept;
    mock.timers.reset();
  });

  const started = (): number => world.asked.filter((what) => what === 'start bundle').length;
  const warned = (): readonly string[] => world.host.warned;

  it('leaves one that lives alone, and ends with the turn, without a word', async () => {
    turn.abort();
    assert.equal(await kept, 'ended');
    assert.deepEqual([world.asked, warned()], [[], []]);
  });

  it('restarts one that has died, after what it left is taken in and with what it reads in place', async () => {
    world.exit('bundle', 137);
    await passTimeUntil(() => started() === 1, 0);
    assert.deepEqual(takenInAfter, [[]]);
    assert.equal((await world.ports.files.readTurn(SLUG, 1))?.sidecarRestarts, 1);
    const { root, bundleToken } = world.ports.files.paths(SLUG);
    assert.ok(existsSync(bundleToken));
    assert.ok(existsSync(join(root, 'config/allowlist')));
    assert.deepEqual(warned(), ['the sidecar died; restarting it']);
  });

  it('gives up at the third death, counting those that an earlier worker saw', async () => {
    await journal.decide({ sidecarRestarts: 1 });
    world.exit('bundle');
    await passTimeUntil(() => started() === 1, 0);
    world.exit('bundle');
    assert.equal(await kept, 'gave_up');
    assert.equal(started(), 1);
    assert.equal(warned().at(-1), 'the sidecar died again; giving the turn up');
  });

  it('gives up when the container is gone', async () => {
    world.lose('bundle');
    assert.equal(await kept, 'gave_up');
    assert.deepEqual([started(), warned()], [0, ['the sidecar is gone; giving the turn up']]);
  });

  it('waits a second for an engine that is away, says so, and goes on', async () => {
    world.fault = (what) => (what === 'start bundle' ? new BottleRuntimeError('no engine', true) : undefined);
    world.exit('bundle');
    await passTimeUntil(() => warned().length === 2, 0);
    assert.equal(warned().at(-1), 'the sidecar could not be watched; trying again');
    world.fault = () => undefined;
    const tries = started();
    await passTimeUntil(() => started() > tries, 100);
    assert.equal((await world.ports.files.readTurn(SLUG, 1))?.sidecarRestarts, 2);
  });
});
