import assert from 'node:assert/strict';
import { stepOfRun } from '../../../../src/activities/base/work-of-run.js';
import { ALL_FOUND_BEFORE, decideForHost } from '../../../../src/activities/sweep/decide-for-host.js';
import { createSweepActivities } from '../../../../src/activities/sweep/sweep-activity.js';
import { sweepHost } from '../../../../src/activities/sweep/sweep-host.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import type { RunState } from '../../../../src/domain/run/run-states.js';
import { SetAsideError } from '../../../../src/domain/run/under-way.js';
import type { SweepReport } from '../../../../src/domain/upkeep/sweep.js';
import { SLUG } from '../../../support/host/host-world.js';
import { NOW, object, OLD, useSweptHost, WORKFLOW } from '../../../support/sweep/swept-host.js';
import { inActivity } from '../../../support/temporal/in-activity.js';

const { signal } = new AbortController();
const numbered = (at: number): string => `coder-alice-demo-${String(at)}-abcde`;

describe('a sweep of a host', () => {
  const host = useSweptHost();
  beforeEach(async () => {
    await host.ports.files.removeTransient(SLUG);
  });

  const sweep = (): Promise<SweepReport> => sweepHost(host.ports, [], signal);
  const done = ({ entries }: SweepReport): readonly string[] =>
    entries.map(({ slug, what, outcome }) => `${what} ${slug} ${outcome}`);
  const pin = (...slugs: readonly string[]): void => {
    for (const slug of slugs) host.pinned.add(slug);
  };

  it('does something about what it has found twice', async () => {
    pin(SLUG);
    host.scratch = 2;
    const first = await sweep();
    assert.deepEqual(first, {
      ...{ end: 'done', runs: 1, waiting: 1, entries: [], scratchRemoved: 2, durationMs: 0 },
    });
    assert.equal(host.pinned.size, 1);
    const second = await sweep();
    assert.deepEqual([second.waiting, done(second)], [0, [`unpin ${SLUG} done`]]);
    assert.equal(host.pinned.size, 0);
    assert.deepEqual(done(await sweep()), []);
  });

  it('measures its own time', async () => {
    let now = NOW;
    const clock = { now: () => (now += 500) };
    const { durationMs } = await sweepHost({ ...host.ports, clock }, [], signal);
    assert.equal(durationMs, now - NOW - 500);
  });

  it('has saved what it found before it does anything', async () => {
    pin(SLUG);
    await sweep();
    host.found = [...host.found, 'of something that is well by now'];
    const seen: (readonly string[])[] = [];
    host.ports.runtime.unpinImage = () => {
      seen.push(host.found);
      return Promise.resolve();
    };
    await sweep();
    assert.deepEqual(seen, [[`pinned:${SLUG}`]]);
  });

  it('goes on when one thing fails, and leaves the rest of many to the next sweep', async () => {
    pin(...Array.from({ length: 60 }, (_, at) => numbered(at + 10)));
    await sweep();
    host.ports.runtime.unpinImage = (slug) => {
      if (slug === numbered(10)) return Promise.reject(new Error('busy'));
      host.pinned.delete(slug);
      return Promise.resolve();
    };
    const report = await sweep();
    assert.equal(report.entries.length, 50);
    assert.equal(done(report)[0], `unpin ${numbered(10)} failed`);
    assert.equal(host.pinned.size, 11);
  });

  describe('that has decided to remove a run, asks again when it comes to it, and', () => {
    const closed: RunState = { kind: 'closed', at: 1 };
    const on = (place: string, slug: string | null = SLUG): RunState => ({
      ...{ kind: 'open', slug, phase: 'frozen', host: place, hasRun: true },
    });
    const away: RunState = { kind: 'unknown', why: 'no connection', away: true };

    /** @param now what is true of it after the actions before */
    async function swept(before: RunState, now: RunState): Promise<string> {
      host.objects = [object('agent')];
      host.claimedBy = () => Promise.resolve(WORKFLOW);
      host.workflows.set(WORKFLOW, before);
      pin(numbered(10));
      await sweep();
      host.ports.runtime.unpinImage = () => {
        host.workflows.set(WORKFLOW, now);
        return Promise.resolve();
      };
      const { entries } = await sweep();
      const of = (slug: string): readonly string[] =>
        entries.filter((one) => one.slug === slug).map(({ what, detail }) => `${what} ${detail}`);
      assert.equal(of(numbered(10)).length, 1, 'acted before it');
      return of(SLUG).join();
    }

    for (const [what, before, now] of [
      ['was moved back to this host', on('other'), on('test')],
      ['is being moved', on('other'), { ...on('other'), host: null } as RunState],
      ['may have been', on('other'), away],
      ['may be over, or not', closed, { ...away, away: false } as RunState],
      ['began after all', on('test', null), on('test')],
      ['began after all, on another host', on('test', null), on('other')],
      ['has just ended, after it was moved', on('other'), closed],
    ] as const)
      it(`leaves one that ${what}`, async () => {
        assert.equal(await swept(before, now), 'remove not any more');
        assert.equal(host.objects.length, 1);
      });

    for (const [what, before, now, why] of [
      ['is still elsewhere', on('other'), on('other'), 'it was moved to another host'],
      ['is still over', closed, closed, 'its workflow has ended'],
    ] as const)
      it(`removes one that ${what}`, async () => {
        assert.equal(await swept(before, now), `remove ${why}: bb-${SLUG}-agent`);
        assert.deepEqual(host.objects, []);
      });

    it('leaves one whose turn began while it asked', async () => {
      let asked = 0;
      host.ports.runStates.of = () => {
        asked += 1;
        // Each of the two sweeps has asked about two runs before.
        if (asked === 5) host.watched.add(SLUG);
        return Promise.resolve(on('other'));
      };
      assert.equal(await swept(on('other'), on('other')), 'remove not any more');
      assert.equal(asked, 5);
    });

    it('leaves one that some workflow says is its by now, though nobody knew of it', async () => {
      host.objects = [object('agent')];
      pin(numbered(10));
      await sweep();
      host.workflows.set(WORKFLOW, on('test'));
      host.ports.runtime.unpinImage = () => {
        host.claimedBy = () => Promise.resolve(WORKFLOW);
        return Promise.resolve();
      };
      const { entries } = await sweep();
      assert.deepEqual(
        entries.map(({ what, detail }) => `${what} ${detail}`),
        ['unpin its image is no longer kept', 'remove not any more'],
      );
    });
  });

  it('begins nothing more when it is cancelled', async () => {
    pin(SLUG, numbered(13));
    await sweep();
    const abort = new AbortController();
    host.ports.runtime.unpinImage = () => {
      abort.abort();
      return Promise.resolve();
    };
    assert.equal((await sweepHost(host.ports, [], abort.signal)).entries.length, 1);
  });

  it('decides nothing while Temporal is away, and forgets what it found before', async () => {
    pin(SLUG);
    await sweep();
    host.objects = [object('agent', { slug: numbered(13) })];
    host.ports.runStates.claimedBy = () => Promise.resolve(WORKFLOW);
    host.workflows.set(WORKFLOW, { kind: 'unknown', why: 'no connection', away: true });
    const { end, runs, waiting, entries } = await sweep();
    assert.deepEqual([end, runs, waiting, entries], ['away', 2, 0, []]);
    assert.deepEqual([host.found, host.pinned.size], [[], 1]);
  });

  it('leaves a run alone when the look at it kills worker after worker, and sweeps the others', async () => {
    const work = stepOfRun(numbered(13), 'look');
    host.ports.underWay.during = (mark, run) =>
      mark.key === work.key && mark.slug === work.slug ? Promise.reject(new SetAsideError(work)) : run();
    pin(SLUG, numbered(13));
    await sweep();
    assert.deepEqual(done(await sweep()), [`unpin ${SLUG} done`]);
    assert.deepEqual(host.world.warned.slice(0, 1), ['not swept']);
  });

  it('fails when the engine cannot say what is there', async () => {
    const away = new BottleRuntimeError('no engine', true, { away: true });
    host.ports.runtime.inspect = () => Promise.reject(away);
    host.objects = [object('agent')];
    await assert.rejects(sweep(), away);
  });

  it('asks for the containers of a frozen run to be put away, after as long as the settings say', async () => {
    host.objects = [object('agent')];
    host.claimedBy = () => Promise.resolve(WORKFLOW);
    const state = { kind: 'open', slug: SLUG, phase: 'frozen', host: 'test', hasRun: true } as const;
    host.workflows.set(WORKFLOW, state);
    const hour = NOW - Date.parse(OLD);
    for (const [archiveAfterMs, asked] of [
      [null, 0],
      [hour + 1, 0],
      [hour, 1],
    ] as const) {
      await sweepHost({ ...host.ports, archiveAfterMs }, [], signal);
      assert.equal(host.archived.length, asked, String(archiveAfterMs));
    }
  });

  it('is shown by what the next ones will do, without doing it', async () => {
    pin(SLUG);
    const { actions } = await decideForHost(host.ports, [], ALL_FOUND_BEFORE);
    assert.deepEqual(actions, [{ kind: 'unpin', slug: SLUG }]);
    assert.equal(host.pinned.size, 1);
  });

  it('is, as an activity, busy while the one before is under way', async () => {
    const by = createSweepActivities(host.ports);
    const sweepOnce = (): Promise<SweepReport> => inActivity(() => by.sweepHost({ expected: [] }));
    const first = sweepOnce();
    assert.equal((await sweepOnce()).end, 'busy');
    assert.equal((await first).end, 'done');
  });
});
