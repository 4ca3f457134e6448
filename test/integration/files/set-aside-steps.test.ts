import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { carryOut, type SweepPorts } from '../../../src/activities/sweep/carry-out.js';
import { sweepHost } from '../../../src/activities/sweep/sweep-host.js';
import { pumpLogs } from '../../../src/activities/turn/log-pump.js';
import { superviseTurn } from '../../../src/activities/turn/supervise-turn.js';
import { TurnSlots } from '../../../src/activities/ports/turn-slots.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { stepOfRun, stepOfTurn } from '../../../src/activities/base/work-of-run.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import type { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import type { BottleRuntime } from '../../../src/domain/bottle/bottle-runtime.js';
import { diesTwice } from '../../support/files/dies-twice.js';
import { waitUntil } from '../../support/stack/stack.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const SLUG = 'dev-alice-demo-1-abcde';
const OTHER = 'dev-alice-demo-2-abcde';
const { signal: NEVER } = new AbortController();

type FollowLogs = BottleRuntime['followLogs'];

describe('a step of a run that killed two workers', () => {
  let home: string;
  let files: LocalRunFiles;
  /** What is left of dead workers in this process ends with the test. */
  let ended: AbortController;
  let ghosts: Promise<void>[];
  const log = { info: () => undefined, warn: () => undefined };
  const input = {
    workflowId: 'gitea:alice/demo#1',
    slug: SLUG,
    turn: 1,
    begun: false,
    stop: null,
    prepared: { provider: 'scripted' },
  } as Partial<RunTurnInput> as RunTurnInput;

  beforeEach(async () => {
    ended = new AbortController();
    ghosts = [];
    home = await mkdtemp(join(tmpdir(), 'bb-set-aside-'));
    files = runFilesIn(home, { canChown: false });
    await files.prepare(SLUG);
  });
  afterEach(async () => {
    ended.abort();
    await Promise.all(ghosts);
    await rm(home, { recursive: true, force: true });
  });

  it('is not begun again when it is the beginning of a turn, whose containers are stopped', async () => {
    await diesTwice(home, stepOfTurn(input, 'begin'));
    const stopped: string[] = [];
    const ports: Partial<HostPorts> = {
      ...{ files, log, clock: { now: Date.now }, underWay: await UnderWayFiles.open(home) },
      disk: { look: () => Promise.resolve() } as unknown as HostPorts['disk'],
      slots: new TurnSlots(1, () => Promise.resolve([])),
      runtime: {
        stop: (_slug: string, role: string) => {
          stopped.push(role);
          return Promise.resolve();
        },
      } as Partial<BottleRuntime> as BottleRuntime,
    };
    const link = { detach: NEVER, stop: NEVER, onBegun: () => assert.fail('it has begun') };
    await assert.rejects(superviseTurn(ports as HostPorts, input, link), {
      code: 'set_aside',
      retryable: false,
      message: 'beginning turn 1 was under way at two crashes of the worker',
    });
    assert.deepEqual(stopped.sort(), ['agent', 'bundle']);
  });

  function untilEnded(): Promise<never> {
    return new Promise((_resolve, reject) => {
      ended.signal.addEventListener('abort', () => {
        reject(new Error('the test is over'));
      });
    });
  }

  /** A worker of its own that watches the turn; what it says. */
  async function watches(followLogs: FollowLogs): Promise<{ said: string[]; over: Promise<void> }> {
    const journal = await TurnJournal.open(files, SLUG, 1, { now: Date.now });
    const said: string[] = [];
    const runtime = { followLogs } as Partial<BottleRuntime> as BottleRuntime;
    const ports = { files, log, runtime, underWay: await UnderWayFiles.open(home) };
    const over = pumpLogs(ports, input, journal, agentProvider('scripted').reader(), {
      signal: ended.signal,
      onCaughtUp: () => said.push('caught up'),
      onSetAside: () => said.push('set aside'),
    });
    ghosts.push(over);
    return { said, over };
  }

  /** A worker that watches, and dies when it has read so far. */
  async function diesWatching(isThrough: boolean): Promise<void> {
    let said: readonly string[] = [];
    await new Promise<void>((reading) => {
      const followLogs: FollowLogs = (_slug, _role, _since, _signal, _onLine, onCaughtUp) => {
        if (isThrough) onCaughtUp?.();
        reading();
        return untilEnded();
      };
      void watches(followLogs).then((watcher) => ({ said } = watcher));
    });
    // The mark is another one from here on. The next worker would take away one that is half written.
    const isMarked = async (): Promise<boolean> =>
      (await readdir(join(home, 'under-way'))).some((name) => name.endsWith('.json'));
    while (isThrough && (said.length === 0 || !(await isMarked()))) await new Promise(setImmediate);
  }

  async function hasBegun(): Promise<void> {
    const journal = await TurnJournal.open(files, SLUG, 1, { now: Date.now });
    await journal.decide({ lastCheckinAt: 1 });
  }

  it("is not read again when it is an agent's output: the turn is over, and its log says that lines are missing", async () => {
    await hasBegun();
    await diesWatching(true);
    await diesWatching(false);
    const { said, over } = await watches(() => assert.fail('it was read'));
    await over;
    assert.deepEqual(said, ['set aside', 'caught up']);
    const reason = 'reading the output of turn 1 was under way at two crashes of the worker';
    assert.equal((await files.readTurn(SLUG, 1))?.setAside, reason);
    const text = await readFile(join(home, `state/${SLUG}/turns/1/agent.log`), 'utf8');
    assert.match(text, /^- host lines of this turn may be missing: /m);
  });

  it('is not the output of an agent that each worker had read before it died', async () => {
    await hasBegun();
    for (let worker = 1; worker <= 4; worker += 1) await diesWatching(true);
    const { said, over } = await watches((_slug, _role, _since, _signal, _onLine, onCaughtUp) => {
      onCaughtUp?.();
      return Promise.resolve({ mayHaveGap: false });
    });
    await over;
    assert.ok(!said.includes('set aside'));
  });

  it('holds up nobody else when it is an output that the engine does not give', async () => {
    await hasBegun();
    await diesWatching(false);
    const { said } = await watches(() => Promise.reject(new Error('HTTP code 500')));
    await waitUntil('the others to go on', () => said.includes('caught up'), 5_000);
    assert.ok(!said.includes('set aside'));
  });

  /** A sweep of two runs that have a directory here, and are open. */
  async function sweepPorts(warned: object[]): Promise<SweepPorts> {
    for (const slug of [SLUG, OTHER]) await mkdir(join(home, 'state', slug, 'turns'), { recursive: true });
    const ports: Partial<SweepPorts> = {
      ...{ files, clock: { now: Date.now }, underWay: await UnderWayFiles.open(home), archiveAfterMs: null },
      log: { ...log, warn: (fields) => void warned.push(fields) },
      runtime: {
        list: () => Promise.resolve([]),
        pinnedRuns: () => Promise.resolve([]),
      } as Partial<BottleRuntime> as BottleRuntime,
      git: { removeLeftBehind: () => Promise.resolve(0) } as Partial<HostPorts['git']> as HostPorts['git'],
      runStates: {
        of: () => Promise.resolve({ kind: 'unknown', why: '', away: false }),
        claimedBy: () => Promise.resolve(undefined),
      },
      sweeps: { load: () => Promise.resolve([]), save: () => Promise.resolve() },
      channel: { tell: () => assert.fail('asked') } as Partial<HostPorts['channel']> as HostPorts['channel'],
    };
    return ports as SweepPorts;
  }

  it('is left out of the sweep when it is the look at a run; the others are swept', async () => {
    const expected = [SLUG, OTHER].map((slug, at) => ({
      slug,
      workflowId: `gitea:alice/demo#${String(at + 1)}`,
      subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: at + 1 } as const,
      branch: 'b',
    }));
    assert.equal((await sweepHost(await sweepPorts([]), expected, NEVER)).runs, 2);
    assert.deepEqual(await readdir(join(home, 'under-way')), []);
    await diesTwice(home, stepOfRun(SLUG, 'look'));
    const warned: object[] = [];
    const { end, runs } = await sweepHost(await sweepPorts(warned), expected, NEVER);
    assert.deepEqual([end, runs], ['done', 1]);
    assert.deepEqual(
      warned.map((one) => 'slug' in one && one.slug),
      [SLUG],
    );
  });

  it('is not asked for by the sweeper when it is putting containers away', async () => {
    await diesTwice(home, stepOfRun(SLUG, 'archive'));
    const action = { kind: 'archive', slug: SLUG, workflowId: 'gitea:alice/demo#1' } as const;
    const { outcome, detail } = await carryOut(await sweepPorts([]), action, NEVER);
    assert.deepEqual(
      [outcome, detail],
      ['failed', 'putting its containers away was under way at two crashes of the worker'],
    );
  });
});
