import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { stepOfRun } from '../../../../src/activities/base/work-of-run.js';
import { carryOut } from '../../../../src/activities/sweep/carry-out.js';
import { UnderWayFiles } from '../../../../src/adapters/files/under-way.js';
import type {
  FoundContainer,
  FoundRun,
  SweepAction,
  SweepEntry,
} from '../../../../src/domain/upkeep/sweep.js';
import { report, SLUG } from '../../../support/host/host-world.js';
import { object, OLD, useSweptHost, WORKFLOW } from '../../../support/sweep/swept-host.js';
import { withoutPauses } from '../../../support/scale/no-pauses.js';

const NOT_ANY_MORE = 'not any more';
const createdAt = Date.parse(OLD);

describe('what a sweep does', () => {
  withoutPauses();
  const host = useSweptHost();

  const { signal } = new AbortController();
  const run = async (action: SweepAction): Promise<SweepEntry> => carryOut(host.ports, action, signal);
  const placeSecrets = async (): Promise<number> => {
    await host.ports.files.placeSecrets(SLUG, []);
    const left = (await host.ports.files.leftovers()).find(({ slug }) => slug === SLUG);
    return left?.secretsAt ?? assert.fail('no secrets');
  };
  const hasToken = (): boolean => existsSync(host.ports.files.paths(SLUG).bundleToken);

  describe('about a name on an image', () => {
    const action: SweepAction = { kind: 'unpin', slug: SLUG };
    beforeEach(async () => {
      host.pinned.add(SLUG);
      await host.ports.files.removeTransient(SLUG);
    });

    it('is to give it up when nothing else is left', async () => {
      const other = object('agent', { slug: 'coder-alice-demo-13-abc13' });
      host.objects = [other];
      await host.ports.files.prepare(other.slug);
      const { detail, ...entry } = await run(action);
      assert.deepEqual(entry, { slug: SLUG, what: 'unpin', outcome: 'done' });
      assert.match(detail, /no longer kept/);
      assert.equal(host.pinned.size, 0);
    });

    for (const [what, come] of [
      ['a container is there', () => void host.objects.push(object('agent'))],
      ['a directory is there', () => host.ports.files.prepare(SLUG)],
      ['a turn is watched', () => void host.watched.add(SLUG)],
    ] as const)
      it(`is nothing when ${what} by now`, async () => {
        await come();
        assert.equal((await run(action)).detail, NOT_ANY_MORE);
        assert.equal(host.pinned.size, 1);
      });
  });

  describe('about a throw-away container', () => {
    const name = 'bb-once-1';
    const action: SweepAction = { kind: 'remove_container', slug: SLUG, name, createdAt };

    it('is to remove it, and nothing beside it', async () => {
      host.objects = [object('home'), object('agent', { running: true }), object('once', { name })];
      assert.equal((await run(action)).detail, name);
      assert.deepEqual(host.names, [`bb-${SLUG}-home`, `bb-${SLUG}-agent`]);
    });

    for (const [what, now] of [
      ['is gone', []],
      ['works', [object('once', { name, running: true })]],
      ['was made anew', [object('once', { name, createdAt: '2026-11-23T09:59:59.000Z' })]],
      ['is a volume', [object('home', { name })]],
    ] as const)
      it(`is nothing when what has the name ${what} by now`, async () => {
        host.objects = [...now];
        assert.equal((await run(action)).detail, NOT_ANY_MORE);
        assert.deepEqual(host.objects, now);
      });
  });

  describe('about a container that runs though the run is frozen', () => {
    const action: SweepAction = { kind: 'stop', slug: SLUG, role: 'bundle', startedAt: OLD };
    beforeEach(() => {
      host.objects = [object('bundle', { running: true })];
    });
    const stops = (): readonly string[] => host.world.asked.filter((what) => what.startsWith('stop'));

    it('is to stop it', async () => {
      const { outcome, detail } = await run(action);
      assert.deepEqual([outcome, stops()], ['done', ['stop bundle']]);
      assert.match(detail, /^the bundle ran/);
    });

    for (const [what, change] of [
      ['it is gone', () => void (host.objects = [])],
      ['it has stopped', () => void (host.objects = [object('bundle')])],
      ['it was started again', () => void (host.world.containers = { bundle: { startedAt: 'later' } })],
      ['a turn is watched', () => void host.watched.add(SLUG)],
    ] as const)
      it(`is nothing when ${what} by now`, async () => {
        change();
        assert.equal((await run(action)).detail, NOT_ANY_MORE);
        assert.deepEqual(stops(), []);
      });
  });

  describe('about token and secrets of a turn that is over', () => {
    it('is to drop them', async () => {
      await host.ports.files.prepare('coder-alice-demo-11-abc11');
      const placedAt = await placeSecrets();
      const { outcome, detail } = await run({ kind: 'drop_secrets', slug: SLUG, placedAt });
      assert.deepEqual([outcome, hasToken()], ['done', false]);
      assert.notEqual(detail, NOT_ANY_MORE);
    });

    it('is nothing when they were placed anew, or a turn is watched', async () => {
      const placedAt = await placeSecrets();
      const before = await run({ kind: 'drop_secrets', slug: SLUG, placedAt: placedAt - 1 });
      host.watched.add(SLUG);
      const watched = await run({ kind: 'drop_secrets', slug: SLUG, placedAt });
      assert.deepEqual([before.detail, watched.detail, hasToken()], [NOT_ANY_MORE, NOT_ANY_MORE, true]);
    });

    it('is nothing of a run that has no directories any more', async () => {
      await host.ports.files.removeTransient(SLUG);
      assert.equal((await run({ kind: 'drop_secrets', slug: SLUG, placedAt: 1 })).detail, NOT_ANY_MORE);
    });
  });

  describe('about a run that is frozen for long', () => {
    const action: SweepAction = { kind: 'archive', slug: SLUG, workflowId: WORKFLOW };

    it('is to ask its workflow to put the containers away', async () => {
      assert.equal((await run(action)).outcome, 'done');
      assert.deepEqual(host.archived, [`${WORKFLOW} ${SLUG}`]);
    });

    it('is nothing when that has killed worker after worker', async () => {
      for (const worker of ['first', 'second']) {
        const dying = await UnderWayFiles.open(host.world.home, worker);
        await new Promise<void>((begun) => {
          void dying.during(stepOfRun(SLUG, 'archive'), () => {
            begun();
            return new Promise(() => undefined);
          });
        });
      }
      const underWay = await UnderWayFiles.open(host.world.home, 'third');
      const entry = await carryOut({ ...host.ports, underWay }, action, signal);
      assert.deepEqual([entry.outcome, host.archived], ['failed', []]);
      assert.match(entry.detail, /two crashes/);
    });
  });

  describe('about a run that is over', () => {
    const found: FoundRun = {
      ...{ slug: SLUG, workflowId: null, subject: null, branch: null, secretsAt: null },
      ...{
        containers: [],
        volumes: [],
        directory: null,
        hasTranscript: false,
        pinned: true,
        expected: false,
      },
    };
    const ended = (changes: Partial<FoundRun> = {}): SweepAction => ({
      ...{ kind: 'remove', why: 'its workflow has ended', elsewhere: false },
      run: { ...found, ...changes },
    });
    const container = (role: string): FoundContainer => {
      const { name, running } = object(role);
      return { name, role, running, createdAt, startedAt: OLD, idleSince: createdAt };
    };
    const roles = ['agent', 'once'];

    it('is to remove all of it, as its own end does, and to say what there was', async () => {
      host.pinned.add(SLUG);
      host.objects = [...roles, 'home'].map((role) => object(role));
      const volumes = [{ name: `bb-${SLUG}-home`, role: 'home', createdAt }];
      const { slug, outcome, detail } = await run(
        ended({ containers: roles.map(container), volumes, directory: { changedAt: 0 } }),
      );
      assert.deepEqual([slug, outcome, host.names, host.pinned.size], [SLUG, 'done', [], 0]);
      assert.equal(
        detail,
        `its workflow has ended: bb-${SLUG}-agent, bb-${SLUG}-once, bb-${SLUG}-home, directories`,
      );
    });

    it('is to remove what reads its volumes before it is asked for its commits', async () => {
      host.objects = roles.map((role) => object(role));
      const seen: (readonly string[])[] = [];
      host.world.answers = () => {
        seen.push(host.names);
        return report();
      };
      await run(ended({ containers: roles.map(container) }));
      assert.deepEqual(seen[0], [`bb-${SLUG}-agent`]);
    });

    it('is to say what nobody could remove', async () => {
      host.world.answers = ({ name }) => ({ ...report(), exitCode: name === 'remove' ? 137 : 0 });
      const { outcome, detail } = await run(ended({ directory: { changedAt: 0 } }));
      assert.deepEqual([outcome, detail], ['failed', 'what its agent wrote could not be removed']);
    });

    it('is to leave it for the next sweep when the worker stops before its commits are kept', async () => {
      host.objects = roles.map((role) => object(role));
      const abort = new AbortController();
      host.ports.runtime.stop = () => {
        abort.abort();
        return Promise.resolve();
      };
      const { outcome } = await carryOut(host.ports, ended(), abort.signal);
      assert.deepEqual([outcome, host.objects.length], ['failed', 2]);
    });

    it('is to leave alone what another host has on the same engine', async () => {
      host.objects = [object('home')];
      host.ports.runtime.removeVolumes = () => assert.fail('they are found by name, whosever they are');
      const state = { kind: 'open', slug: SLUG, phase: 'frozen', host: 'other', hasRun: true } as const;
      host.workflows.set(WORKFLOW, state);
      const action = { ...ended({ workflowId: WORKFLOW }), elsewhere: true } as SweepAction;
      assert.equal((await run(action)).outcome, 'done');
      assert.deepEqual(host.names, []);
    });

    it('is nothing while a turn is watched', async () => {
      host.watched.add(SLUG);
      host.objects = roles.map((role) => object(role));
      assert.equal((await run(ended({ containers: roles.map(container) }))).detail, NOT_ANY_MORE);
      assert.equal(host.objects.length, 2);
    });
  });

  it('is to tell of a run of which nothing is left, and to make nothing up', async () => {
    const entry = await run({ kind: 'report_lost', slug: SLUG });
    assert.deepEqual([entry.what, entry.outcome], ['report_lost', 'reported']);
    assert.match(entry.detail, /without its session/);
  });

  it('is told when it could not be done, in few words, and the sweep goes on', async () => {
    host.objects = [object('bundle', { running: true })];
    const ports = {
      ...host.ports,
      runtime: { ...host.ports.runtime, stop: () => Promise.reject(new Error('x'.repeat(1_000))) },
    };
    const entry = await carryOut(ports, { kind: 'stop', slug: SLUG, role: 'bundle', startedAt: OLD }, signal);
    assert.deepEqual(entry, { slug: SLUG, what: 'stop', outcome: 'failed', detail: 'x'.repeat(300) });
    assert.deepEqual(host.world.warned, ['could not be swept']);
  });
});
