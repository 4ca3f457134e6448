import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { OwnedObject } from '../../../src/domain/bottle/bottle-runtime.js';
import { liveAndStrike } from '../../support/chaos/harness.js';
import { removeAll } from '../../support/chaos/leftovers.js';
import { makePlan } from '../../support/chaos/plan.js';
import { object } from '../../support/sweep/swept-host.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('a kill harness that is interrupted', () => {
  const path = useTempDir();

  it('ends lives and strikes, and lets go of what is stopped', async () => {
    const interruption = new AbortController();
    const ended: string[] = [];
    const until = (what: string, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ended.push(what);
          resolve();
        });
      });
    const person = { trouble: [], live: (signal: AbortSignal) => until('life', signal) };
    const striker = {
      strikeAll: (_strikes: unknown, signal: AbortSignal) => until('strikes', signal),
      letGo: () => Promise.resolve(void ended.push('let go')),
    };
    const plan = makePlan({ seed: 1, lives: 2, strikes: 4, gapMs: 8_000 });
    const over = liveAndStrike(plan, [person, person], striker, interruption.signal);
    interruption.abort();
    await over;
    assert.deepEqual(ended, ['life', 'life', 'strikes', 'let go']);
  });

  it('removes what still runs, and says what it could not remove', async () => {
    const [home, dir] = [path('home'), path('forge')];
    for (const one of [home, dir]) mkdirSync(one);
    let objects: OwnedObject[] = [object('home'), object('agent', { running: true }), object('bundle')];
    let pinned = ['s'];
    const runtime = {
      list: () => Promise.resolve(objects),
      removeObject: (removed: OwnedObject) => {
        const isInUse = removed.type === 'volume' && objects.some(({ type }) => type === 'container');
        if (isInUse) return Promise.reject(new Error('the volume is in use'));
        objects = objects.filter((one) => one !== removed);
        return Promise.resolve();
      },
      pinnedRuns: () => Promise.resolve(pinned),
      unpinImage: (slug: string) => {
        pinned = pinned.filter((one) => one !== slug);
        return Promise.resolve();
      },
    };
    const remove = (): Promise<void> => rm(home, { recursive: true });
    assert.deepEqual(await removeAll({ home, remove, gitea: { process: { dir } } }, runtime), [dir]);
    assert.deepEqual([objects, pinned], [[], []]);
  });
});
