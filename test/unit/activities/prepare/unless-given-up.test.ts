import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createHomeActivities } from '../../../../src/activities/home-activities.js';
import type { UnderWay } from '../../../../src/domain/run/under-way.js';
import { until } from '../../../support/bundle/until.js';
import { SLUG, usePreparing } from '../../../support/prepare/preparing.js';

describe('an attempt to prepare a turn that was given up while the forge was silent', () => {
  const world = usePreparing();

  it('writes no row when the forge answers after all, over what the next attempt has written', async () => {
    let answer = (): void => assert.fail('the forge was not asked');
    let over: Promise<unknown> = Promise.resolve();
    const underWay = {
      during: <T>(_work: unknown, run: () => Promise<T>) => {
        const work = run();
        over = work.catch(() => undefined);
        return work;
      },
    } as unknown as UnderWay;
    const silent = {
      ...world.ports,
      forgeFor: () => {
        const forge = world.forge.bind();
        const answered = new Promise<void>((resolve) => (answer = resolve));
        return { ...forge, readIssue: (number: number) => answered.then(() => forge.readIssue(number)) };
      },
    };
    const first = new MockActivityEnvironment();
    const late = first.run(() => createHomeActivities(silent, underWay).prepareTurn(world.input()));
    late.catch(() => undefined);
    const next = new MockActivityEnvironment();
    const { prepareTurn } = createHomeActivities(world.ports, { during: (_, run) => run() } as UnderWay);
    first.cancel('TIMED_OUT');
    await assert.rejects(late);
    await next.run(() => prepareTurn(world.input()));
    const row = await until('the row', () => world.database.forgeState.ofRun(SLUG));
    const frozen = { ...row, status: 'frozen', phase: 'frozen', reason: 'paused' } as const;
    await world.database.forgeState.upsert(frozen);
    answer();
    await over;
    assert.deepEqual(await world.database.forgeState.ofRun(SLUG), frozen);
  });
});
