import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { RunTurnInput } from '../../../../../src/activities/ports/inputs.js';
import { keptChanges } from '../../../../../src/activities/setup/kept-changes.js';
import { beginTurn } from '../../../../../src/activities/turn/begin/begin-turn.js';
import { keepEgress } from '../../../../../src/activities/turn/egress-record.js';
import { TurnJournal } from '../../../../../src/activities/turn/turn-journal.js';
import { agentProvider } from '../../../../../src/adapters/agents/registry.js';
import { WHOLE_REPOSITORY, type TurnBottle } from '../../../../../src/domain/bottle/bottle-setup.js';
import { localSubject } from '../../../../../src/domain/forge/issue.js';
import { NO_USE } from '../../../../../src/domain/run/model-use.js';
import type { TurnRecord } from '../../../../../src/domain/run/run-files.js';
import { BRANCH, HEAD, SLUG } from '../../../../support/host/host-world.js';
import { shownProposal } from '../../../../support/supervise/shown.js';
import { IMAGE_ID, TurnWorld } from '../../../../support/turn/turn-world.js';
import { useNewPaths } from '../../../../support/webhook/temp-dir.js';

const BASE = 'b'.repeat(40);
const { signal } = new AbortController();

const sessionOf = (turn: number): string =>
  agentProvider('scripted').newSessionId(`${SLUG}/${String(turn)}`) ?? assert.fail('no session');
const argv = (flag: string, sessionId: string): readonly string[] => [
  ...['/usr/local/bin/node', '/opt/bottle/scripted-agent.mjs', '--output-format', 'stream-json'],
  ...[flag, sessionId, ''],
];

describe('beginning a turn', () => {
  const newPath = useNewPaths();
  let world: TurnWorld;
  beforeEach(async () => {
    world = await TurnWorld.open(newPath());
  });

  async function begin(
    changes: Partial<RunTurnInput> = {},
    bottle: Partial<TurnBottle> = {},
    until = signal,
  ): Promise<TurnRecord> {
    const input = await world.host.turning(changes, bottle);
    const promptRef = await world.ports.blobs.put('Do it.\n');
    const { files, clock } = world.ports;
    const journal = await TurnJournal.open(files, SLUG, input.turn, clock);
    await beginTurn(world.ports, { ...input, prepared: { ...input.prepared, promptRef } }, journal, until);
    return (await files.readTurn(SLUG, input.turn)) ?? assert.fail('nothing is on disk');
  }
  const read = (file: string): string =>
    readFileSync(`${world.ports.files.paths(SLUG).root}/${file}`, 'utf8');
  /** A file of the agent's input. */
  const given = (file: string): string =>
    readFileSync(`${world.ports.files.paths(SLUG).turnInput}/${file}`, 'utf8');
  const turnInput = (): Readonly<Record<string, unknown>> =>
    JSON.parse(given('turn.json')) as Record<string, unknown>;
  const header = (): Readonly<Record<string, unknown>> =>
    JSON.parse(readFileSync(`${world.ports.files.paths(SLUG).queueIn}/turn.json`, 'utf8')) as Record<
      string,
      unknown
    >;
  const orderOf = (what: string): number => world.asked.indexOf(what);
  const spec = (role: 'agent' | 'bundle') =>
    world.specs.find((one) => 'workspaceDir' in one === (role === 'agent')) ?? assert.fail(role);

  it('starts sidecar and agent, and has on disk what must be known before', async () => {
    world.host.stuckBlobs.set(BASE, 'stuck');
    const record = await begin();
    assert.deepEqual(
      [...world.containers.values()].map(({ status }) => status),
      ['running', 'running'],
    );
    const { lastCheckinAt, sessionId, ...rest } = record;
    assert.ok(lastCheckinAt > 0);
    assert.equal(sessionId, sessionOf(1));
    const { previousStart, refs, baseSha, knownStuck, logSince, provider, lost } = rest;
    assert.deepEqual(
      [previousStart, refs?.startSha, baseSha, knownStuck, logSince, provider, lost],
      ['0001-01-01T00:00:00Z', BASE, BASE, ['stuck'], null, { name: 'scripted', version: null }, []],
    );
    assert.ok(orderOf('start bundle') < orderOf('start agent'));
    assert.ok(orderOf('create bundle') < orderOf('create agent'));
  });

  it('gives the agent its prompt, branch and command, and keeps what it was told', async () => {
    await begin({ prNumber: 31 });
    assert.match(read('turns/1/prompt.md'), /^Do it\.\n/);
    const input = turnInput();
    assert.deepEqual([input['turn'], input['issueNumber'], input['prNumber']], [1, 12, 31]);
    assert.deepEqual(given('argv').split('\0'), argv('--session-id', sessionOf(1)));
    assert.equal(given('wants-sidecar'), '');
    const agent = spec('agent');
    assert.ok('workspaceDir' in agent);
    const { workspace, turnInput: turnDir, currentConfig } = world.ports.files.paths(SLUG);
    assert.deepEqual(
      [agent.workspaceDir, agent.turnDir, agent.configDir, agent.image],
      [workspace, turnDir, currentConfig, IMAGE_ID],
    );
    assert.ok(!('runtime' in agent) && !('homeDir' in agent));
  });

  it('goes on with a session that is there, whatever the turn’s number', async () => {
    const before = sessionOf(1);
    assert.equal((await begin({ turn: 2, sessionId: before })).sessionId, before);
    assert.deepEqual(given('argv').split('\0'), argv('--resume', before));
  });

  it('gives the sidecar its token, limits and the way to the forge', async () => {
    await begin({ prNumber: 31, goesOnWith: 4, budget: { tokens: 100, microUsd: null } });
    const bundle = spec('bundle');
    assert.ok('queueOutDir' in bundle);
    const { bundleToken, bundleSecrets, queueOut, queueIn, currentConfig } = world.ports.files.paths(SLUG);
    assert.deepEqual(
      [bundle.tokenFile, bundle.secretsDir, bundle.queueOutDir, bundle.queueInDir, bundle.configDir],
      [bundleToken, bundleSecrets, queueOut, queueIn, currentConfig],
    );
    assert.equal(existsSync(bundleToken), true);
    const { FORGE_KIND, FORGE_OWNER, FORGE_REPO, FORGE_ISSUE_NUMBER, FORGE_PR_NUMBER } = bundle.env;
    assert.deepEqual(
      [FORGE_KIND, FORGE_OWNER, FORGE_REPO, FORGE_ISSUE_NUMBER, FORGE_PR_NUMBER, bundle.env['FORGE_SOCKET']],
      ['gitea', 'alice', 'demo', '12', '31', undefined],
    );
    assert.deepEqual(header(), {
      ...{ turn: 1, goesOnWith: 4, prNumber: 31, owner: 'alice', repo: 'demo', prices: '' },
      budget: { tokens: 100, microUsd: null },
      uploadBytes: world.ports.settings.egressUploadBytes,
    });
  });

  it('gives the sidecar of a run without a forge no token and no way to one', async () => {
    Object.assign(world.ports.settings, { loopbackDir: '/loopback' });
    await begin({ subject: localSubject(SLUG), source: { forge: 'gitea', owner: 'alice', repo: 'demo' } });
    const bundle = spec('bundle');
    assert.ok('queueOutDir' in bundle);
    assert.deepEqual(
      [bundle.tokenFile, bundle.loopbackDir, bundle.env['FORGE_KIND'], bundle.env['FORGE_GITEA_API']],
      [null, null, 'none', undefined],
    );
    assert.equal(existsSync(world.ports.files.paths(SLUG).bundleToken), false);
  });

  it('leads the sidecar to a forge on loopback by its socket', async () => {
    Object.assign(world.ports.settings, { loopbackDir: '/loopback' });
    await begin();
    const bundle = spec('bundle');
    assert.ok('queueOutDir' in bundle);
    assert.deepEqual(
      [bundle.loopbackDir, bundle.env['FORGE_SOCKET'], bundle.env['FORGE_PR_NUMBER']],
      ['/loopback', '/run/bottle/loopback/forge.sock', ''],
    );
  });

  it('gives a sidecar of the same turn what is left of its budget', async () => {
    const model = { use: { ...NO_USE, requests: 1, inputTokens: 30 }, trouble: null };
    await keepEgress(world.ports.files, SLUG, 1, {
      ...{ kind: 'egress', slug: SLUG, turn: 1, process: 'process1', hosts: [], refusals: [], at: 1 },
      ...{ lastSuccessAt: null, model },
    });
    await begin({ budget: { tokens: 100, microUsd: null } });
    assert.deepEqual(header()['budget'], { tokens: 70, microUsd: null });
  });

  it('tells the sidecar whose texts may be read, where the bottle says so', async () => {
    await begin({}, { readers: ['alice'] });
    assert.deepEqual(header()['readers'], ['alice']);
  });

  it('does nothing when an earlier try has started the agent', async () => {
    await begin();
    const before = world.asked.length;
    await begin();
    assert.equal(world.asked.length, before);
  });

  it('begins again where an earlier try did not get that far', async () => {
    world.fault = (what) => (what === 'start agent' ? new Error('busy') : undefined);
    await assert.rejects(begin(), /busy/);
    world.fault = () => undefined;
    const { sessionId } = (await world.ports.files.readTurn(SLUG, 1)) ?? assert.fail('no record');
    assert.equal((await begin()).sessionId, sessionId);
    assert.equal(world.containers.get('agent')?.status, 'running');
  });

  it('begins again where the agent is still as the turn before left it', async () => {
    await begin();
    world.exit('agent');
    world.fault = (what) => (what === 'start agent' ? new Error('busy') : undefined);
    await assert.rejects(begin({ turn: 2 }), /busy/);
    world.fault = () => undefined;
    await begin({ turn: 2 });
    assert.equal(world.containers.get('agent')?.status, 'running');
  });

  it('starts no agent when it was stopped meanwhile', async () => {
    const abort = new AbortController();
    world.fault = (what) => {
      if (what === 'create agent') abort.abort(new Error('cancelled'));
      return undefined;
    };
    await assert.rejects(begin({}, {}, abort.signal), /cancelled/);
    assert.equal(orderOf('start agent'), -1);
  });

  it('adopts the container of the turn before, and counts its output from now on', async () => {
    await begin();
    world.exit('agent');
    const started = world.containers.get('agent')?.startedAt;
    const { previousStart, logSince } = await begin({ turn: 2 });
    assert.equal(previousStart, started);
    assert.notEqual(logSince, null);
  });

  describe('in a workspace', () => {
    const isWorkspaceLost = async (changes: Partial<RunTurnInput>): Promise<TurnRecord> => {
      await world.ports.files.removeTransient(SLUG);
      return begin({ turn: 2, head: HEAD, ...changes });
    };

    it('that was lost, tells the agent so, and begins where the forge’s branch is', async () => {
      const { lost, baseSha } = await isWorkspaceLost({});
      assert.deepEqual(lost, ['workspace', 'home']);
      assert.equal(baseSha, BASE);
      assert.match(read('turns/2/prompt.md'), /lost|gone/i);
    });

    it('that was lost, says so at the second try, too', async () => {
      world.fault = (what) => (what === 'create agent' ? new Error('busy') : undefined);
      await assert.rejects(isWorkspaceLost({}), /busy/);
      world.fault = () => undefined;
      assert.deepEqual((await begin({ turn: 2, head: HEAD })).lost, ['workspace', 'home']);
    });

    it('that is new, has lost nothing where the run had no work yet', async () => {
      assert.deepEqual((await isWorkspaceLost({ head: null })).lost, []);
    });

    it('that lacks a part of the repository, says so in the turn that makes it', async () => {
      const bottle = { workspace: { ...WHOLE_REPOSITORY, sparse: ['docs'] } };
      await begin({}, bottle);
      await begin({ turn: 2, head: HEAD }, bottle);
      assert.match(read('turns/1/prompt.md'), /Only these directories are checked out.*\n\n> docs\n/);
      assert.doesNotMatch(read('turns/2/prompt.md'), /Only these directories/);
      await world.ports.files.removeTransient(SLUG);
      await begin({ turn: 3, head: HEAD }, bottle);
      assert.match(read('turns/3/prompt.md'), /Only these directories/);
    });

    it('that is there, has lost nothing', async () => {
      await begin();
      world.exit('agent');
      assert.ok(!(await begin({ turn: 2, head: HEAD })).lost.includes('workspace'));
    });
  });

  it('keeps what operators agreed to, and puts it into effect', async () => {
    const ref = await world.ports.blobs.put(JSON.stringify(shownProposal({ bottle_slug: SLUG })));
    await begin({ changes: [ref] }, { allow: ['pypi.org'] });
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), [ref]);
    assert.equal(
      readFileSync(`${world.ports.files.paths(SLUG).currentConfig}/allowlist`, 'utf8'),
      'pypi.org\nfiles.example\n',
    );
  });

  it('begins without what an operator has rejected, though it was about to take effect', async () => {
    const ref = await world.ports.blobs.put(JSON.stringify(shownProposal({ bottle_slug: SLUG })));
    await begin({ changes: [ref] }, { allow: ['pypi.org'] });
    world.exit('agent');
    await begin({ turn: 2 }, { allow: ['pypi.org'] });
    assert.deepEqual(await keptChanges(world.ports.files, SLUG), []);
    assert.equal(
      readFileSync(`${world.ports.files.paths(SLUG).currentConfig}/allowlist`, 'utf8'),
      'pypi.org\n',
    );
  });

  it('keeps whose the run is for the sweeper, and writes that anew only when it changes', async () => {
    await begin({ epoch: 2 });
    assert.deepEqual(JSON.parse(read('metadata.json')), {
      ...{ workflowId: 'gitea:alice/demo#12', repoId: 7, branch: BRANCH, epoch: 2 },
      subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 },
    });
    const saved: string[] = [];
    const { files } = world.ports;
    const saveFile = files.saveFile.bind(files);
    files.saveFile = (slug, file, content) => {
      saved.push(file);
      return saveFile(slug, file, content);
    };
    world.exit('agent');
    await begin({ turn: 2, epoch: 2 });
    assert.ok(!saved.includes('metadata.json'));
    world.exit('agent');
    await begin({ turn: 3 });
    assert.ok(saved.includes('metadata.json') && !('epoch' in (JSON.parse(read('metadata.json')) as object)));
  });

  describe('in an OCI runtime', () => {
    it('says what to do when the engine does not have it', async () => {
      await assert.rejects(begin({}, { runtime: 'runsc' }), {
        name: 'InvalidInputError',
        message: /no container runtime "runsc".*daemon\.json/,
      });
      assert.deepEqual(world.specs, []);
    });

    it('takes the bottle’s before the host’s', async () => {
      world.runtimes = ['runsc', 'kata'];
      Object.assign(world.ports.settings, { containerRuntime: 'kata' });
      await begin({}, { runtime: 'runsc' });
      world.exit('agent');
      await begin({ turn: 2 });
      assert.deepEqual(
        world.specs.filter((one) => 'workspaceDir' in one).map((one) => 'runtime' in one && one.runtime),
        ['runsc', 'kata'],
      );
    });
  });
});
