import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mock } from 'node:test';
import { applyChange } from '../../../../src/activities/supervise/apply-change.js';
import { keepBundle } from '../../../../src/activities/turn/bundle-keeper.js';
import { TurnJournal } from '../../../../src/activities/turn/turn-journal.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { SLUG } from '../../../support/host/host-world.js';
import { shownProposal } from '../../../support/supervise/shown.js';
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
  let whileTakenIn: () => Promise<void>;

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    world = await TurnWorld.open(newPath());
    turn = new AbortController();
    takenInAfter = [];
    whileTakenIn = () => Promise.resolve();
    const { files, clock } = world.ports;
    journal = await TurnJournal.open(files, SLUG, 1, clock);
    world.put('bundle', { status: 'running' });
    const takeIn = (): Promise<void> => {
      takenInAfter.push([...world.asked]);
      return whileTakenIn();
    };
    kept = keepBundle(world.ports, await world.host.turning(), journal, turn.signal, takeIn);
  });
  afterEach(async () => {
    turn.abort();
    await kept;
    mock.timers.reset();
  });

  const started = (): number => world.asked.filter((what) => what === 'start bundle').length;
  const warned = (): readonly string[] => world.host.warned;
  const allowlist = (): string =>
    readFileSync(join(world.ports.files.paths(SLUG).root, 'config/allowlist'), 'utf8');
  /** An operator's decision takes effect. */
  const change = async (): Promise<void> => {
    const ref = await world.ports.blobs.put(JSON.stringify(shownProposal({ bottle_slug: SLUG })));
    await applyChange(world.ports, { ...(await world.host.turning()), changes: [ref] });
  };

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

  it('restarts it with what an operator agreed to meanwhile', async () => {
    whileTakenIn = change;
    world.exit('bundle', 137);
    await passTimeUntil(() => started() === 1, 0);
    assert.match(allowlist(), /^files\.example$/m);
  });

  it('and a change do not meet: the sidecar begins with its secrets, and the change is in effect', async () => {
    const { placing, runtime, files } = world.ports;
    const [start, next] = [runtime.start.bind(runtime), placing.next.bind(placing)];
    const seen = { isApplied: false, isHeldBack: false };
    placing.next = (slug, work) => {
      let hasBegun = false;
      // What may begin has begun by then.
      setImmediate(() => (seen.isHeldBack = !hasBegun));
      return next(slug, () => {
        hasBegun = true;
        return work();
      });
    };
    let changing: Promise<void> | undefined;
    runtime.start = async (slug, role) => {
      changing ??= change().finally(() => (seen.isApplied = true));
      while (!seen.isApplied && !seen.isHeldBack) await new Promise(setImmediate);
      return start(slug, role);
    };
    world.exit('bundle', 137);
    await passTimeUntil(() => started() === 1, 0);
    await changing;
    assert.ok(existsSync(files.paths(SLUG).bundleToken));
    assert.match(allowlist(), /^files\.example$/m);
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

  it('counts as a restart what was started, not a try that failed before that', async () => {
    let fails = 3;
    whileTakenIn = () => (fails-- > 0 ? Promise.reject(new Error('the disk is full')) : Promise.resolve());
    world.exit('bundle', 137);
    await passTimeUntil(() => started() === 1, 1_000);
    assert.equal(journal.record.sidecarRestarts, 1);
    assert.equal(warned().filter((text) => text.includes('died')).length, 1);
  });

  it('gives up after a minute in which nothing could be started', async () => {
    whileTakenIn = () => Promise.reject(new Error('no secret'));
    world.exit('bundle', 137);
    await passTimeUntil(() => warned().some((text) => text.includes('giving the turn up')), 1_000);
    assert.equal(await kept, 'gave_up');
    assert.deepEqual([started(), takenInAfter.length], [0, 60]);
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
