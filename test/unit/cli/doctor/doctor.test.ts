import assert from 'node:assert/strict';
import { runChecks } from '../../../../src/cli/doctor/check.js';
import type { CheckReport } from '../../../../src/cli/doctor/check.js';
import { doctorChecks } from '../../../../src/cli/doctor/checks.js';
import type { FileSystemSpace } from '../../../../src/domain/bottle/disk-usage.js';
import type { DoctorProbes } from '../../../../src/cli/doctor/probes.js';
import { atLeast } from '../../../../src/cli/doctor/version.js';
import type { AgentStanding } from '../../../../src/domain/agent/agent-standing.js';
import type { StuckWork } from '../../../../src/domain/upkeep/stuck-work.js';
import type { PartEnd } from '../../../../src/domain/upkeep/part-ends.js';
import { EXIT } from '../../../../src/cli/base/exit-codes.js';
import { cliWith } from '../small-world.js';

/** A probe that sees this. */
const answers =
  <T>(value: T) =>
  (): Promise<T> =>
    Promise.resolve(value);

const GIB = 1024 ** 3;
function diskWith(
  freeGiB: number,
  change: Partial<FileSystemSpace> = {},
): Awaited<ReturnType<DoctorProbes['disk']>> {
  const system = {
    path: '/h',
    freeBytes: freeGiB * GIB,
    usedBytes: 1,
    inodes: 100,
    freeInodes: 60,
    usedInodes: 40,
  };
  return {
    space: { fileSystems: [{ ...system, ...change }], complete: true },
    floorBytes: 2 * GIB,
    quota: { bytes: 10 * GIB, inodes: 1_000_000 },
  };
}

const BUNDLE = { name: 'bot-bottle/bundle:dev', id: 'sha256:1' };
const SCRIPTED = { name: 'bot-bottle/agent-scripted:dev', id: 'sha256:2', needed: false };
const CLAUDE = { name: 'bot-bottle/agent-claude:dev', id: null, needed: false };

const COMMAND = 'bot-bottle secret set anthropic-api-key < key';
const SET_KEY = `no model key is set: ${COMMAND}`;
const READY: AgentStanding = {
  name: 'claude',
  isOwn: false,
  isStandIn: false,
  providers: [{ kind: 'ready', provider: 'claude', secret: 'anthropic-api-key' }],
  verdict: { kind: 'ready', provider: 'claude' },
  image: 'bot-bottle/agent-claude:dev',
};
const UNSET: AgentStanding = {
  ...READY,
  providers: [{ kind: 'no_key', provider: 'claude', commands: [COMMAND] }],
  verdict: { kind: 'lacks', why: SET_KEY, isUnset: true },
  image: null,
};
const DEMO: AgentStanding = {
  ...READY,
  name: 'demo',
  isStandIn: true,
  verdict: { kind: 'ready', provider: 'scripted' },
};
const agentsAre = (...agents: AgentStanding[]): Partial<DoctorProbes> => ({ agents: answers(agents) });

const AT_EASE: StuckWork = { open: 2, isCut: false, failing: [], retried: [], standing: [], idleQueues: [] };

const HEALTHY: DoctorProbes = {
  nodeVersion: () => '20.19.0',
  home: () => ({ path: '/h', exists: true, mode: 0o40700, writable: true }),
  configWarnings: () => [],
  secrets: () => [{ name: 'forge-token', file: '/h/secrets/forge-token', state: 'set' }],
  signingKey: () => 'a'.repeat(64),
  engine: answers({
    version: '20.10.24',
    apiVersion: '1.41',
    storageDriver: 'overlay2',
    storageQuota: false,
    runtimes: ['runc', 'runsc'],
  }),
  weakBottles: answers([]),
  containerRuntime: () => null,
  agents: answers([READY]),
  images: answers({ bundle: BUNDLE, agents: [SCRIPTED] }),
  gitVersion: answers('git version 2.39.5'),
  temporal: answers({ address: '127.0.0.1:7233', version: '1.32.0', missingSearchAttributes: [] }),
  forge: answers({ url: 'https://git.example', login: 'bot', problems: [] }),
  secretScanner: answers('gitleaks 8.30.1'),
  notifications: answers({ command: null, webhook: null, givenUp: 0, failing: 0 }),
  publishPlace: () => 'branch',
  ciFiles: answers([{ repo: 'alice/demo', files: [] }]),
  disk: answers(diskWith(50)),
  partEnds: answers([]),
  pauses: answers([]),
  stuckWork: answers(AT_EASE),
};

async function examine(change: Partial<DoctorProbes>): Promise<Map<string, CheckReport>> {
  const reports = await runChecks(doctorChecks({ ...HEALTHY, ...change }), 2_000);
  return new Map(reports.map((report) => [report.name, report]));
}

describe('doctor', () => {
  it('finds a healthy machine healthy, with versions', async () => {
    const reports = await examine({});
    assert.deepEqual(
      [...reports.values()].filter(({ state }) => state !== 'ok'),
      [],
    );
    assert.equal(reports.get('engine')?.found, 'Docker 20.10.24, API 1.41, overlay2, no disk quotas');
    assert.equal(
      reports.get('disk')?.found,
      '50 GiB free, 60 % of inodes at /h; polled, 10 GiB and 1000000 files a run',
    );
    assert.equal(reports.get('git')?.found, 'git version 2.39.5');
  });

  it('says which agents can run, and on what; that others have no key is no fault', async () => {
    const listed = { ...READY, name: 'implementer' };
    const report = (await examine(agentsAre(READY, { ...UNSET, name: 'codex' }, DEMO, listed))).get('models');
    assert.equal(report?.state, 'ok');
    assert.equal(report.found, 'can run: claude, implementer (claude); without a key: codex');
    const own = (await examine(agentsAre({ ...DEMO, isOwn: true }))).get('models');
    assert.equal(own?.found, 'can run: demo (scripted)');
  });

  it('names the parts of `up` that ended by themselves in the last day', async () => {
    const end = (part: string, agoMs: number, again = true): PartEnd => ({
      part,
      at: Date.now() - agoMs,
      reason: 'killed by SIGKILL',
      again,
    });
    const DAY_MS = 24 * 60 * 60_000;
    const up = async (...ends: PartEnd[]): Promise<CheckReport | undefined> =>
      (await examine({ partEnds: answers(ends) })).get('up');
    assert.equal((await up(end('worker', DAY_MS)))?.state, 'ok');
    const again = await up(end('worker', DAY_MS), end('worker', 60_000), end('worker', 1), end('webhook', 0));
    assert.equal(again?.state, 'warn');
    assert.match(
      again.found,
      /^worker ended by itself 2 times, last at \S+Z: killed by SIGKILL; webhook ended by itself once, last at \S+Z: killed by SIGKILL$/,
    );
    const gaveUp = await up(end('worker', 1, false));
    assert.match(gaveUp?.found ?? '', /SIGKILL; up ended with it$/);
    assert.match(gaveUp?.remedy ?? '', /bot-bottle up$/);
  });

  const sick: readonly [string, string, 'warn' | 'fail', RegExp, Partial<DoctorProbes>][] = [
    [
      'new turns that are paused',
      'pause',
      'warn',
      /bot-bottle unpause --repo alice\/demo/,
      { pauses: answers([{ scope: 'alice/demo', since: 0, who: 'alice@desk' }]) },
    ],
    ['an old Node', 'node', 'fail', /20\.12/, { nodeVersion: () => '20.10.0' }],
    [
      'a home others can write',
      'home',
      'fail',
      /chmod 700 \/h/,
      { home: () => ({ path: '/h', exists: true, mode: 0o770, writable: true }) },
    ],
    [
      'a home that is meant for everybody, as /tmp is',
      'home',
      'fail',
      /others can write it: choose another BOT_BOTTLE_HOME$/m,
      { home: () => ({ path: '/tmp', exists: true, mode: 0o41777, writable: true }) },
    ],
    [
      'a home others can read',
      'home',
      'warn',
      /chmod 700 \/h/,
      { home: () => ({ path: '/h', exists: true, mode: 0o755, writable: true }) },
    ],
    [
      'a home on a disk that went read-only',
      'home',
      'fail',
      /remount/,
      { home: () => ({ path: '/h', exists: true, mode: 0o40700, writable: false }) },
    ],
    [
      'no home',
      'home',
      'warn',
      /secret set/,
      { home: () => ({ path: '/h', exists: false, mode: 0, writable: false }) },
    ],
    ['a configuration with warnings', 'config', 'warn', /one token/, { configWarnings: () => ['one token'] }],
    [
      'a missing secret',
      'secrets',
      'fail',
      /secret set webhook-secret/,
      { secrets: () => [{ name: 'webhook-secret', file: '/x', state: 'missing' }] },
    ],
    [
      'a secret others can read',
      'secrets',
      'fail',
      /chmod 600 \/x/,
      {
        secrets: () => [
          { name: 't', file: '/x', state: 'unusable', reason: '/x can be read by others: chmod 600 /x' },
        ],
      },
    ],
    ['an old git', 'git', 'fail', /2\.32/, { gitVersion: answers('git version 2.31.9') }],
    ['a git that prints nothing', 'git', 'fail', /2\.32/, { gitVersion: answers('') }],
    [
      'an old engine',
      'engine',
      'fail',
      /20\.10/,
      {
        engine: answers({
          version: '19.03',
          apiVersion: '1.40',
          storageDriver: 'x',
          storageQuota: true,
          runtimes: ['runsc'],
        }),
      },
    ],
    [
      'a bottle that somebody changed',
      'bottles',
      'fail',
      /docker rm -f/,
      { weakBottles: answers([{ name: 'bb-x-agent', weaknesses: ['is privileged'] }]) },
    ],
    [
      "the sidecar's image missing",
      'images',
      'fail',
      /^script\/images bundle$/,
      { images: answers({ bundle: { ...BUNDLE, id: null }, agents: [SCRIPTED] }) },
    ],
    [
      'no image of any agent',
      'images',
      'fail',
      /^script\/images agent; script\/images agent-claude$/,
      { images: answers({ bundle: BUNDLE, agents: [{ ...SCRIPTED, id: null }, CLAUDE] }) },
    ],
    [
      'the image missing of an agent that people are offered',
      'images',
      'fail',
      /^script\/images agent-claude$/,
      {
        images: answers({ bundle: BUNDLE, agents: [SCRIPTED, { ...CLAUDE, needed: true }] }),
      },
    ],
    [
      'no agent that can run',
      'models',
      'fail',
      /secret set anthropic-api-key < key$/,
      agentsAre(UNSET, DEMO),
    ],
    [
      'an agent of the operator’s own without its key',
      'models',
      'fail',
      /secret set anthropic-api-key < key$/,
      agentsAre(READY, { ...UNSET, name: 'mine', isOwn: true }),
    ],
    [
      'a key that cannot be sent where it should go',
      'models',
      'fail',
      /^not bound: --host gateway:8443$/,
      agentsAre(READY, {
        ...UNSET,
        name: 'pi',
        verdict: { kind: 'lacks', why: 'not bound: --host gateway:8443', isUnset: false },
      }),
    ],
    [
      'an agent whose manifest is broken',
      'models',
      'fail',
      /^x\.md:2: no$/,
      agentsAre(READY, { ...UNSET, verdict: { kind: 'broken', why: 'x.md:2: no' } }),
    ],
    [
      'the image of one CLI missing',
      'images',
      'warn',
      /script\/images agent-claude$/,
      { images: answers({ bundle: BUNDLE, agents: [SCRIPTED, CLAUDE] }) },
    ],
    [
      'a namespace that is not set up',
      'temporal',
      'fail',
      /temporal setup/,
      {
        temporal: answers({ address: 'x:1', version: '1', missingSearchAttributes: ['ForgeRepo'] }),
      },
    ],
    [
      'a Temporal that is away',
      'temporal',
      'fail',
      /bot-bottle up starts one.*TEMPORAL_ADDRESS/,
      { temporal: answers({ address: 'x:1', problem: 'ECONNREFUSED' }) },
    ],
    ['a scan that is off', 'secret scan', 'warn', /FORGE_SECRET_SCAN/, { secretScanner: answers(null) }],
    ['an old scanner', 'secret scan', 'warn', /8\.25/, { secretScanner: answers('gitleaks 8.19.3') }],
    [
      'a scanner of unknown version',
      'secret scan',
      'warn',
      /8\.25/,
      { secretScanner: answers('gitleaks of unknown version') },
    ],
    [
      'CI that a push runs',
      'ci',
      'warn',
      /FORGE_PUBLISH to fork/,
      { ciFiles: answers([{ repo: 'alice/demo', files: ['.gitea/workflows'] }]) },
    ],
    [
      'CI that a push may run where no repository is named',
      'ci',
      'warn',
      /where there is CI, .*FORGE_PUBLISH to fork/,
      { ciFiles: answers(null) },
    ],
    [
      'a token without a right',
      'forge',
      'fail',
      /grant/,
      {
        forge: answers({ url: 'u', login: 'l', problems: [{ severity: 'error', message: 'grant x' }] }),
      },
    ],
    [
      'a bot that is an administrator',
      'forge',
      'warn',
      /admin/,
      {
        forge: answers({ url: 'u', login: 'l', problems: [{ severity: 'warning', message: 'admin' }] }),
      },
    ],
    [
      'a runtime that the engine has not',
      'runtime',
      'fail',
      /daemon\.json/,
      { containerRuntime: () => 'kata' },
    ],
    ['a full disk', 'disk', 'fail', /room/, { disk: answers(diskWith(1)) }],
    [
      'a file system without inodes',
      'disk',
      'fail',
      /twentieth/,
      { disk: answers(diskWith(50, { freeInodes: 4 })) },
    ],
    ['a disk that fills', 'disk', 'warn', /comfortable/, { disk: answers(diskWith(11)) }],
    [
      "an engine's data that is out of sight",
      'disk',
      'warn',
      /measured/,
      {
        disk: answers({ ...diskWith(50), space: { ...diskWith(50).space, complete: false } }),
      },
    ],
  ];
  for (const [what, name, state, remedy, change] of sick) {
    it(`says what to do about ${what}`, async () => {
      const reports = await examine(change);
      assert.equal(reports.get(name)?.state, state);
      assert.match(reports.get(name)?.remedy ?? '', remedy);
      assert.deepEqual(
        [...reports.values()].filter((report) => report.state !== 'ok').map((report) => report.name),
        [name],
      );
    });
  }

  it('says of a key that cannot sign what its probe says', async () => {
    const reports = await examine({
      signingKey: () => {
        throw new Error('/k can be read by others: chmod 600 /k');
      },
    });
    const { state, found } = reports.get('signing key') ?? {};
    assert.deepEqual([state, found], ['fail', '/k can be read by others: chmod 600 /k']);
  });

  it('takes the oldest git that has what is asked of it', async () => {
    const reports = await examine({ gitVersion: answers('git version 2.32.0') });
    assert.equal(reports.get('git')?.state, 'ok');
  });

  it('knows a runtime that the engine lists, and a containerd shim by its name', async () => {
    for (const name of ['runsc', 'io.containerd.kata.v2'])
      assert.deepEqual((await examine({ containerRuntime: () => name })).get('runtime'), {
        name: 'runtime',
        state: 'ok',
        found: name,
      });
  });

  it('a probe that throws fails its own check only', async () => {
    const reports = await examine({
      engine: () => Promise.reject(new Error('connect ENOENT /var/run/docker.sock')),
      configWarnings: () => {
        throw new Error('config.yaml:1: unknown setting X');
      },
    });
    assert.deepEqual(
      [...reports.values()].filter(({ state }) => state === 'fail').map(({ name }) => name),
      ['config', 'engine'],
    );
    assert.match(reports.get('engine')?.found ?? '', /docker\.sock/);
  });

  it('what is wrong with the configuration stands in one row, readable, and once', async () => {
    const wrong = (): never => {
      throw new Error('config.yaml:1: unknown setting X\nconfig.yaml:2: unknown setting Y');
    };
    const probes = { ...HEALTHY, configWarnings: wrong, secrets: wrong, forge: async () => wrong() };
    const cli = cliWith({ deps: { doctorChecks: () => doctorChecks(probes) } });
    const { stdout } = await cli.run('doctor');
    assert.match(
      stdout,
      /^fail +config +config\.yaml:1: unknown setting X; config\.yaml:2: unknown setting Y$/m,
    );
    for (const name of ['secrets', 'forge'])
      assert.match(stdout, new RegExp(`^fail +${name} +not looked at: the configuration is wrong$`, 'm'));
    assert.equal(stdout.split('unknown setting X').length, 2);
  });

  it('a probe that hangs is cut off', async () => {
    const forever = new Promise<never>(() => undefined);
    const [report] = await runChecks([{ name: 'slow', run: () => forever }], 20);
    assert.deepEqual(report, { name: 'slow', state: 'fail', found: 'no answer within 0.02 s' });
  });

  it('exits with failure when a check fails, and not for a warning', async () => {
    const bad = cliWith({
      deps: { doctorChecks: () => doctorChecks({ ...HEALTHY, nodeVersion: () => '18.0.0' }) },
    });
    const ran = await bad.run('doctor', '--json');
    assert.equal(ran.code, EXIT.failed);
    assert.equal((JSON.parse(ran.stdout) as { ok: boolean }).ok, false);
    const warned = cliWith({
      deps: { doctorChecks: () => doctorChecks({ ...HEALTHY, configWarnings: () => ['hm'] }) },
    });
    const text = await warned.run('doctor');
    assert.equal(text.code, EXIT.ok);
    assert.match(text.stdout, /^warn +config +valid, with warnings$/m);
    assert.match(text.stdout, /^config: hm$/m);
  });

  it('compares versions by number, not by letter', () => {
    assert.equal(atLeast('git version 2.100.0', [2, 38]), true);
    assert.equal(atLeast('2.4', [2, 38]), false);
    assert.equal(atLeast('v3', [2, 38]), true);
    assert.equal(atLeast('2.38', [2, 38]), true);
    assert.equal(atLeast('none', [1]), undefined);
  });
});
