import assert from 'node:assert/strict';
import type { FoundContainer, LookedAtRun, SweepAction } from '../../../../src/domain/upkeep/sweep.js';
import { decideSweep, SWEEP_MIN_AGE_MS } from '../../../../src/domain/upkeep/sweep-decisions.js';

const NOW = 1_000 * 3_600_000;
const OLD = NOW - SWEEP_MIN_AGE_MS;
const YOUNG = OLD + 1;
const SLUG = 'impl-alice-demo-12-abcde';
const ARCHIVE_AFTER = 60 * 60_000;
const HOST = 'host00000001';
const terms = { now: NOW, archiveAfterMs: ARCHIVE_AFTER, host: HOST };

const open = (phase: string, slug: string | null = SLUG, host: string | null = HOST) =>
  ({ kind: 'open', slug, phase, host, hasRun: true }) as const;

function container(change: Partial<FoundContainer> = {}): FoundContainer {
  return {
    name: `bb-${SLUG}-agent`,
    role: 'agent',
    running: false,
    createdAt: OLD,
    startedAt: new Date(OLD).toISOString(),
    idleSince: OLD,
    ...change,
  };
}

function run(change: Partial<LookedAtRun>): LookedAtRun {
  return {
    slug: SLUG,
    workflowId: 'gitea:alice/demo#12',
    subject: null,
    branch: null,
    containers: [container()],
    volumes: [{ name: `bb-${SLUG}-home`, role: 'home', createdAt: OLD }],
    directory: { changedAt: OLD },
    secretsAt: null,
    hasTranscript: true,
    pinned: true,
    expected: true,
    state: open('frozen'),
    ...change,
  };
}

/** What is done in a first sweep, and in a second one that finds the same. */
function twice(found: LookedAtRun): {
  readonly first: readonly string[];
  readonly second: readonly string[];
} {
  const first = decideSweep([found], new Set(), terms);
  const second = decideSweep([found], new Set(first.findings), terms);
  const kinds = (actions: readonly SweepAction[]): string[] => actions.map(({ kind }) => kind);
  return { first: kinds(first.actions), second: kinds(second.actions) };
}

describe('what a sweep decides', () => {
  it('removes what is here of a run that is on another host, when it finds it for the second time', () => {
    const elsewhere = run({ state: open('running', SLUG, 'host00000002') });
    assert.deepEqual(twice(elsewhere), { first: [], second: ['remove'] });
    const [action] = decideSweep([elsewhere], new Set([`over:${SLUG}`]), terms).actions;
    assert.ok(action?.kind === 'remove' && action.elsewhere && action.why === 'it was moved to another host');
    assert.deepEqual(
      twice(run({ state: open('running', SLUG, null) })).second,
      [],
      'on no host: perhaps here',
    );
  });

  it('removes what is left of a run that is over, when it finds it for the second time', () => {
    const over = [
      { kind: 'closed', at: OLD },
      { kind: 'gone' },
      open('frozen', 'impl-alice-demo-12-later'),
      open('destroyed', null),
      open('idle', null),
    ] as const;
    for (const state of over)
      assert.deepEqual(twice(run({ state })), { first: [], second: ['remove'] }, JSON.stringify(state));
  });

  it('says of what it removes why the run is over, and hands on what it found without its state', () => {
    const rows = [
      [run({ state: { kind: 'closed', at: OLD } }), 'its workflow has ended'],
      [run({ state: { kind: 'gone' } }), 'Temporal has no such workflow'],
      [run({ state: { kind: 'gone' }, workflowId: null }), 'nobody knows of it'],
      [run({ state: open('frozen', 'impl-alice-demo-12-later') }), 'its workflow is in another life'],
    ] as const;
    for (const [found, why] of rows) {
      const { state: _, ...rest } = found;
      const { actions } = decideSweep([found], new Set([`over:${SLUG}`]), terms);
      assert.deepEqual(actions, [{ kind: 'remove', run: rest, why, elsewhere: false }]);
    }
  });

  for (const [what, left] of [
    ['a container', { containers: [container()] }],
    ['a volume', { volumes: [{ name: 'v', role: 'sock', createdAt: OLD }] }],
    ['a directory', { directory: { changedAt: OLD } }],
  ] as const)
    it(`removes a run that is over when ${what} is all that is left of it`, () => {
      const nothing = { containers: [], volumes: [], directory: null };
      assert.deepEqual(twice(run({ ...nothing, ...left, state: { kind: 'gone' } })).second, ['remove']);
    });

  it('has nothing to do for a run that is over and has left nothing here', () => {
    const state = { kind: 'closed', at: OLD } as const;
    const found = run({ state, containers: [], volumes: [], directory: null, pinned: false });
    assert.deepEqual(twice(found), { first: [], second: [] });
  });

  it('takes the name off an image that is all that is left of a run that is over, of no other', () => {
    const bare = { containers: [], volumes: [], directory: null, pinned: true } as const;
    const over = run({ ...bare, state: { kind: 'gone' } });
    assert.deepEqual(twice(over), { first: [], second: ['unpin'] });
    const other = run({ ...bare, slug: 'impl-alice-demo-13-abcde', state: { kind: 'gone' } });
    const first = decideSweep([other], new Set(), terms);
    const later = decideSweep([over], new Set(first.findings), terms);
    assert.deepEqual([later.actions, later.waiting], [[], 1], 'another run was found before');
    for (const state of [open('frozen'), { kind: 'unknown', why: 'no worker', away: false } as const])
      assert.ok(!twice(run({ ...bare, state })).second.includes('unpin'), JSON.stringify(state));
  });

  it('leaves alone what it cannot ask about, whatever it found before', () => {
    for (const away of [true, false]) {
      const found = run({ state: { kind: 'unknown', why: 'no worker', away } });
      const all = new Set([`over:${SLUG}`]);
      assert.deepEqual(decideSweep([found], all, terms), { actions: [], findings: [], waiting: 0 });
    }
  });

  it('waits while anything of the run is younger than five minutes', () => {
    const state = { kind: 'closed', at: OLD } as const;
    const young: Partial<LookedAtRun>[] = [
      { containers: [container(), container({ createdAt: YOUNG })] },
      { containers: [container({ idleSince: YOUNG })] },
      { volumes: [{ name: 'v', role: 'sock', createdAt: YOUNG }] },
      { directory: { changedAt: YOUNG } },
      { secretsAt: YOUNG },
    ];
    for (const change of young)
      assert.deepEqual(twice(run({ state, ...change })), { first: [], second: [] }, JSON.stringify(change));
  });

  it('counts what it found for the first time, beside what it found again', () => {
    const found = run({ secretsAt: OLD, containers: [container({ running: true })] });
    const [again = ''] = decideSweep([found], new Set(), terms).findings;
    const { actions, findings, waiting } = decideSweep([found], new Set([again]), terms);
    assert.deepEqual([actions.length, findings.length, waiting], [1, 2, 1]);
  });

  it('leaves a run alone in every phase of its life, running containers and secrets included', () => {
    for (const phase of ['queued', 'launching', 'running', 'freezing', 'rehydrating', 'destroying']) {
      const found = run({
        state: open(phase),
        secretsAt: OLD,
        containers: [container({ running: true, idleSince: 0 })],
      });
      assert.deepEqual(twice(found), { first: [], second: [] }, phase);
    }
  });

  it('stops a container that runs though the run is frozen, and takes the secrets of its last turn away', () => {
    const found = run({ secretsAt: OLD, containers: [container({ running: true })] });
    assert.deepEqual(twice(found), { first: [], second: ['stop', 'drop_secrets'] });
  });

  it('leaves what began within the last five minutes to a frozen run', () => {
    const startedAt = new Date(YOUNG).toISOString();
    const found = run({ secretsAt: YOUNG, containers: [container({ running: true, startedAt })] });
    assert.deepEqual(decideSweep([found], new Set(), terms).findings, []);
  });

  it('stops no container that does not run, and none but agent and bundle', () => {
    const containers = [container(), container({ name: 'other', role: 'once', running: true })];
    assert.deepEqual(decideSweep([run({ containers })], new Set(), terms).findings, []);
  });

  it('takes another start, or secrets placed anew, for something new', () => {
    const before = decideSweep(
      [run({ secretsAt: OLD, containers: [container({ running: true })] })],
      new Set(),
      terms,
    );
    const startedAt = new Date(OLD - 1).toISOString();
    const found = run({ secretsAt: OLD - 1, containers: [container({ running: true, startedAt })] });
    const { actions, waiting } = decideSweep([found], new Set(before.findings), terms);
    assert.deepEqual(actions, []);
    assert.equal(waiting, 2);
  });

  it('removes a throw-away container that has stopped, of a living run, and no running one', () => {
    const once = container({ name: `bb-${SLUG}-once-settle`, role: 'once' });
    assert.deepEqual(twice(run({ state: open('running'), containers: [once] })).second, ['remove_container']);
    const busy = { ...once, running: true };
    assert.deepEqual(twice(run({ state: open('running'), containers: [busy] })).second, []);
    const fresh = { ...once, idleSince: YOUNG };
    assert.deepEqual(twice(run({ state: open('running'), containers: [fresh] })).second, []);
    // A container of the same name that was made later is another one.
    const before = decideSweep([run({ state: open('running'), containers: [once] })], new Set(), terms);
    const remade = run({ state: open('running'), containers: [{ ...once, createdAt: OLD - 1 }] });
    assert.deepEqual(decideSweep([remade], new Set(before.findings), terms).actions, []);
  });

  it('asks for the containers of a run that is frozen for long, at once, and of no other', () => {
    const rested = container({ idleSince: NOW - ARCHIVE_AFTER });
    const bundle = container({ ...rested, name: `bb-${SLUG}-bundle`, role: 'bundle' });
    const archived = (change: Partial<LookedAtRun>, archiveAfterMs: number | null = ARCHIVE_AFTER): boolean =>
      decideSweep([run(change)], new Set(), { ...terms, archiveAfterMs }).actions.length > 0;
    assert.deepEqual(decideSweep([run({ containers: [rested, bundle] })], new Set(), terms).actions, [
      { kind: 'archive', slug: SLUG, workflowId: 'gitea:alice/demo#12' },
    ]);
    assert.ok(archived({ containers: [bundle] }), 'what is left of a try that failed');
    assert.ok(!archived({ containers: [rested, { ...bundle, idleSince: NOW - ARCHIVE_AFTER + 1 }] }));
    assert.ok(!archived({ containers: [{ ...rested, running: true }] }));
    assert.ok(!archived({ containers: [rested], state: open('running') }));
    assert.ok(!archived({ containers: [] }), 'archived already');
    const once = container({ ...rested, role: 'once' });
    assert.ok(!archived({ containers: [once] }), 'a throw-away container is none to put away');
    assert.ok(archived({ containers: [rested, { ...once, running: true }] }), 'nor does it keep the others');
    assert.ok(!archived({ containers: [rested], workflowId: null }), 'nobody to ask');
    assert.ok(!archived({ containers: [rested], state: open('frozen', SLUG, 'host00000002') }), 'elsewhere');
    assert.ok(!archived({ containers: [rested], state: open('frozen', 'another') }), 'another life');
    assert.ok(!archived({ containers: [rested] }, null));
  });

  it('reports a frozen run of which nothing is left, and makes nothing up', () => {
    const nothing = { containers: [], volumes: [], directory: null, hasTranscript: false };
    assert.deepEqual(twice(run(nothing)), { first: [], second: ['report_lost'] });
    assert.deepEqual(twice(run({ ...nothing, hasTranscript: true })).second, []);
    assert.deepEqual(twice(run({ ...nothing, expected: false })).second, [], 'another host has it');
    const home = [{ name: 'v', role: 'home', createdAt: OLD }];
    assert.deepEqual(twice(run({ ...nothing, volumes: home })).second, [], 'its home has the session');
    const sock = [{ name: 'v', role: 'sock', createdAt: OLD }];
    assert.deepEqual(twice(run({ ...nothing, volumes: sock })).second, ['report_lost'], 'a socket has none');
    assert.deepEqual(twice(run({ ...nothing, containers: [container()] })).second, [], 'a container is left');
    const lost = decideSweep(
      [run({ ...nothing, slug: 'another', state: open('frozen', 'another') })],
      new Set(),
      terms,
    );
    assert.deepEqual(decideSweep([run(nothing)], new Set(lost.findings), terms).actions, [], 'found anew');
    const neverRan = { ...open('frozen'), hasRun: false };
    assert.deepEqual(twice(run({ ...nothing, state: neverRan })).second, []);
  });
});
