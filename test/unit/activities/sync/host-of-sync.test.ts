import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { localSubject } from '../../../../src/domain/forge/issue.js';
import { BEGUN_FILE, hostOfSync } from '../../../../src/activities/sync/host-of-sync.js';
import type { SecretNeed } from '../../../../src/domain/secret/secret-need.js';
import type { SyncRun } from '../../../../src/domain/sync/sync.js';
import { SLUG } from '../../../support/host/host-world.js';
import {
  AGENT_BRANCH,
  EARLIER_TIP,
  FORK,
  FORK_TIP,
  KEY,
  syncOrder,
  useSyncWorld,
  UPSTREAM_TIP,
} from '../../../support/sync/sync-world.js';

const MODEL_KEY = 'anthropic-api-key';
const VENDOR = 'api.anthropic.com:443';

describe('the host as a sync sees it', () => {
  const world = useSyncWorld();

  async function open(changes: Partial<SyncRun> = {}): Promise<{ run: SyncRun; host: HostPorts }> {
    const run = await world.run(changes);
    return { run, host: hostOfSync(world.ports, run) };
  }
  /** Of a sync by `opencode.env`, or by a manifest. */
  async function openFor(manifest: string | null): Promise<HostPorts> {
    const { prepared } = await world.run();
    const model = world.env.OPENCODE_MODEL;
    const env = { OPENCODE_AGENT: 'build' };
    const order = syncOrder({ manifest });
    return (await open({ order, prepared: { ...prepared, provider: 'opencode', model, env } })).host;
  }

  it('has the agent’s two directories in the run directory, where the disk guard counts them', async () => {
    const { run, host } = await open();
    const { workspace, home, root } = host.files.paths(SLUG);
    assert.deepEqual([workspace, home], [`${run.runDir}/workspace`, `${run.runDir}/harness-state`]);
    assert.ok(!root.startsWith(world.runs), 'what the agent must not see is not there');
    assert.deepEqual(world.guarded, [`${SLUG} ${run.runDir}`]);
  });

  describe('about the remotes', () => {
    const bundle = async (startSha: string): Promise<unknown> => {
      const { host } = await open({ startSha });
      const refs = await host.git.refresh(FORK, 'any', []);
      assert.deepEqual(refs, { startSha, baseBranch: 'main', baseSha: FORK_TIP, branchSha: null });
      await host.git.writeRefsBundle(FORK, refs, 'any', '/file');
      return Object.fromEntries(world.bundled ?? []);
    };

    it('has both as they were when it was prepared', async () => {
      assert.deepEqual(await bundle(FORK_TIP), {
        'refs/base/origin/main': FORK_TIP,
        'refs/base/upstream/trunk': UPSTREAM_TIP,
      });
      assert.deepEqual(world.asked, [], 'nothing is fetched');
    });

    it('has the branch of an earlier sync, too, where it begins with that', async () => {
      assert.deepEqual(await bundle(EARLIER_TIP), {
        'refs/base/origin/main': FORK_TIP,
        'refs/base/upstream/trunk': UPSTREAM_TIP,
        [`refs/base/origin/${AGENT_BRANCH}`]: EARLIER_TIP,
      });
    });

    it('needs no mirror of its own subject to know a STUCK.md that was there before', async () => {
      const host = hostOfSync(world.ports, await world.run({ knownStuck: ['hash'] }));
      assert.deepEqual(await host.git.blobsOf(localSubject(SLUG), 'STUCK.md', [FORK_TIP]), ['hash']);
      assert.deepEqual(world.asked, []);
    });

    it('asks the host’s git about everything else', async () => {
      const git: Partial<HostPorts['git']> = {
        boundary: () => Promise.resolve(['end']),
        writeSubmodules: () => Promise.reject(new Error('submodules')),
        removeLeftBehind: () => Promise.resolve(3),
        isAncestor: (_repo, ancestor) => Promise.resolve(ancestor === 'a'),
      };
      Object.assign(world.ports.host.git, git);
      const { host } = await open();
      const refs = await host.git.refresh(FORK, 'any', []);
      assert.deepEqual(await host.git.boundary(FORK, refs, 1), ['end']);
      await assert.rejects(
        host.git.writeSubmodules(FORK, refs, '/d', { named: [], sparse: [] }),
        /submodules/,
      );
      assert.equal(await host.git.removeLeftBehind(), 3);
      assert.deepEqual(
        [await host.git.isAncestor(FORK, 'a', 'b'), await host.git.isAncestor(FORK, 'b', 'a')],
        [true, false],
      );
    });
  });

  describe('about its run’s workflow', () => {
    it('keeps that its agent was seen to start and tells that, and is never held up or elsewhere', async () => {
      const told: unknown[] = [];
      const tell: HostPorts['channel']['tell'] = (...what) => Promise.resolve(void told.push(what));
      Object.assign(world.ports.host.channel, { tell });
      const { host } = await open();
      assert.equal(await host.files.readFile(SLUG, BEGUN_FILE), undefined);
      const on = { slug: SLUG, turn: 1 };
      await host.channel.tell('w', { kind: 'turn_held_up', ...on, reason: 'x' });
      await host.channel.tell('w', { kind: 'archive', slug: SLUG });
      await host.channel.tell('w', {
        kind: 'signal_done',
        ...on,
        done: { id: 'd', status: 'success', summaryRef: '' },
      });
      assert.equal(await host.files.readFile(SLUG, BEGUN_FILE), undefined);
      await host.channel.tell('w', { kind: 'turn_started', ...on, at: 1 });
      assert.notEqual(await host.files.readFile(SLUG, BEGUN_FILE), undefined);
      assert.deepEqual(told, [['w', { kind: 'turn_started', ...on, at: 1 }]]);
      assert.equal(await host.channel.isCurrent('w', { slug: SLUG, epoch: 7 }), true);
    });

    it('refuses what an agent asks for beside its merge', async () => {
      const { host } = await open();
      const asked = { slug: SLUG, turn: 1 };
      const pull = await host.channel.openPr('w', { ...asked, requestId: 'r', contentRef: 'c' });
      const change = { ...asked, id: 'p', tool: 'pipelock-block', ref: 'b' } as const;
      const proposal = await host.channel.propose('w', 'm', change);
      assert.ok(pull.kind === 'refused');
      assert.match(pull.reason, /nobody/);
      assert.deepEqual(await proposal.outcome(), pull);
    });
  });

  describe('about secrets', () => {
    const place = async (
      host: HostPorts,
      name: string,
      ...authorities: readonly string[]
    ): Promise<string> => {
      const needs = authorities.map((authority): SecretNeed => ({ name, authority, isVendors: false }));
      await host.files.prepare(SLUG);
      await host.files.placeSecrets(SLUG, needs, { forgeToken: false });
      return readFileSync(`${host.files.paths(SLUG).bundleSecrets}/${name}`, 'utf8');
    };

    it('has the key of opencode.env for the model, and any other as it always is', async () => {
      const host = await openFor(null);
      assert.equal(await place(host, MODEL_KEY, VENDOR), KEY);
      assert.equal(await place(host, 'tracker', 'tracker.example:443'), 'tracker for tracker.example:443');
      assert.equal(host.hasSecret(MODEL_KEY), true);
    });

    it('sends that key nowhere but to the model', async () => {
      const host = await openFor(null);
      await assert.rejects(place(host, MODEL_KEY, VENDOR, 'evil.example:443'), {
        name: 'InvalidInputError',
        message: `the key of /opencode.env is for ${VENDOR}, not for evil.example:443`,
      });
      assert.equal(existsSync(`${host.files.paths(SLUG).bundleSecrets}/${MODEL_KEY}`), false);
    });

    it('sends it to where the settings lead the model, then', async () => {
      const models = {
        ...world.ports.host.settings.models,
        upstreams: { anthropic: 'https://gateway.example' },
      };
      const { host } = world.ports;
      Object.assign(world.ports, { host: { ...host, settings: { ...host.settings, models } } });
      const sync = await openFor(null);
      assert.equal(await place(sync, MODEL_KEY, 'gateway.example:443'), KEY);
      await assert.rejects(place(sync, MODEL_KEY, VENDOR), /is for gateway\.example:443/);
    });

    it('has the operator’s secrets for a manifest', async () => {
      const host = await openFor('merger');
      assert.equal(await place(host, MODEL_KEY, VENDOR), `${MODEL_KEY} for ${VENDOR}`);
      assert.equal(host.hasSecret(MODEL_KEY), false);
    });
  });

  describe('about the command line', () => {
    const argv = (host: HostPorts): readonly string[] =>
      host.provider('opencode').launch({
        ...{ sessionId: null, resume: false, model: world.env.OPENCODE_MODEL },
        ...{ variant: null, modelUrl: null, forge: false },
      }).argv;

    it('has the CLI’s agent of opencode.env, and none for a manifest', async () => {
      assert.match(argv(await openFor(null)).join(' '), / --agent build /);
      assert.doesNotMatch(argv(await openFor('merger')).join(' '), /--agent/);
      const order = syncOrder({ manifest: null });
      assert.doesNotMatch(argv((await open({ order })).host).join(' '), /--agent/);
    });
  });
});
