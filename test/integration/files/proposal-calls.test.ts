import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { applyChange } from '../../../src/activities/supervise/apply-change.js';
import { keptChanges } from '../../../src/activities/setup/kept-changes.js';
import { currentConfig } from '../../../src/activities/setup/current-config.js';
import { readSetup } from '../../../src/activities/setup/read-setup.js';
import { offerHosts } from '../../../src/activities/supervise/offer-hosts.js';
import { proposeChange } from '../../../src/activities/supervise/propose-change.js';
import { Relay } from '../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { sha256 } from '../../../src/activities/base/sha256.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { OneByOne } from '../../../src/domain/base/one-by-one.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import type { PassedOn, ProposalOutcome, ProposeRequest } from '../../../src/domain/run/run-channel.js';
import type { RunPaths } from '../../../src/domain/run/run-files.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { readShownProposal } from '../../../src/domain/supervise/read-shown-proposal.js';
import type { ShownProposal } from '../../../src/domain/supervise/shown-proposal.js';
import { sampleHostSettings } from '../../support/host/sample-host.js';
import { sampleBottle } from '../../support/manifests/samples.js';
import { waitUntil } from '../../support/stack/stack.js';

const SLUG = 'demo-a-b-1-x';
const MESSAGE = 'abcdefgh';
const HELD_MS = 120_000;

describe('the agent’s proposals on the host', () => {
  let home: string;
  let files: LocalRunFiles;
  let queue: LocalQueueDirectory;
  let blobs: LocalBlobStore;
  let paths: RunPaths;
  let ports: HostPorts;
  let input: RunTurnInput;
  let journal: TurnJournal;
  let relay: Relay;
  let relaying: Promise<void>;
  let now: number;
  let isBundleUp: boolean;
  let over: AbortController;
  const asked: (readonly [call: string, request: ProposeRequest])[] = [];
  let passOn: () => Promise<PassedOn>;
  let decide: (outcome: ProposalOutcome) => void;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-proposals-'));
    const secret = (name: string): Promise<string> =>
      name === 'bound'
        ? Promise.resolve('its-value')
        : Promise.reject(new InvalidInputError(`${name} is not bound`));
    files = new LocalRunFiles({ home, forgeToken: () => Promise.resolve('token'), secret, canChown: false });
    queue = new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? -1 });
    blobs = new LocalBlobStore(join(home, 'blobs'));
    paths = await files.prepare(SLUG);
    now = Date.now();
    isBundleUp = true;
    asked.length = 0;
    passOn = () => Promise.resolve({ outcome: () => outcome });
    const outcome = new Promise<ProposalOutcome>((resolve) => (decide = resolve));
    const bottle = sampleBottle({ allow: ['a.example.org'], routes: [] });
    const prepared = {
      bottleRef: await blobs.put(JSON.stringify(bottle)),
      env: {},
      provider: 'p',
      model: null,
    };
    input = {
      workflowId: 'gitea:a/b#1',
      slug: SLUG,
      turn: 1,
      prepared,
      subject: { forge: 'gitea' },
    } as unknown as RunTurnInput;
    ports = {
      files,
      queue,
      placing: new OneByOne(),
      blobs,
      underWay: await UnderWayFiles.open(home),
      clock: { now: () => now },
      secrets: new SecretGuard(null, () => []),
      settings: sampleHostSettings({}),
      provider: () => ({ access: () => null }),
      isPublicSuffix: (host: string) => host === 'co.uk',
      runtime: { inspect: () => Promise.resolve({ status: isBundleUp ? 'running' : 'exited' }) },
      log: { info: () => undefined, warn: () => undefined },
      channel: {
        propose: (_: string, call: string, request: ProposeRequest) => {
          asked.push([call, request]);
          return passOn();
        },
      },
    } as unknown as HostPorts;
    journal = await TurnJournal.open(files, SLUG, 1, ports.clock);
    await files.writeCurrentConfig(SLUG, currentConfig(await readSetup(ports, input), null));
    const nothing = (): void => undefined;
    relay = new Relay(ports, input, journal, {
      onDone: nothing,
      onFlood: nothing,
      onOverBudget: nothing,
      onSetAside: nothing,
    });
    over = new AbortController();
    relaying = relay.run(over.signal);
  });
  afterEach(async () => {
    over.abort();
    await relaying;
    await relay.drainToEmpty(new AbortController().signal);
    await rm(home, { recursive: true, force: true });
  });
  async function propose(file: string, currentHash?: string): Promise<void> {
    const current = await readFile(join(paths.currentConfig, 'allowlist'), 'utf8');
    const body = {
      kind: 'proposal',
      slug: SLUG,
      turn: 1,
      tool: 'pipelock-block',
      file,
      justification: 'the tests fetch it',
      currentHash: currentHash ?? sha256(current),
      at: now,
    };
    await writeFile(join(paths.queueOut, `000000000001-${MESSAGE}.json`), JSON.stringify(body), {
      mode: 0o600,
    });
  }

  async function answer(): Promise<unknown> {
    const file = join(paths.queueIn, `${MESSAGE}.json`);
    let text = '';
    await waitUntil(
      'the answer',
      async () => (text = await readFile(file, 'utf8').catch(() => '')) !== '',
      5_000,
    );
    return (JSON.parse(text) as { result: unknown }).result;
  }

  const isAsked = (): Promise<void> => waitUntil('the run to be asked', () => asked.length > 0, 5_000);

  it('reach the run as the operator will be shown them, and its answer comes back with the operator’s words', async () => {
    await propose('a.example.org\nb.example.org\n');
    await isAsked();
    const [call, request] = asked[0] ?? [];
    assert.ok(request !== undefined);
    assert.equal(call, MESSAGE);
    const shown = JSON.parse(await blobs.getText(request.ref)) as ShownProposal;
    assert.deepEqual(shown.change, { kind: 'allowlist', add: ['b.example.org'], remove: [] });
    assert.equal(shown.currentFile, 'a.example.org\n');
    assert.equal(shown.proposal.id, request.id);
    assert.equal(shown.proposal.justification, 'the tests fetch it');
    decide({ id: request.id, status: 'approved', notesRef: await blobs.put('go on') });
    assert.deepEqual(await answer(), {
      kind: 'decision',
      id: request.id,
      status: 'approved',
      notes: 'go on',
    });
    await waitUntil('the message put away', async () => (await readdir(paths.queueOut)).length === 0, 5_000);
  });

  it('hold the agent, who is neither silent nor using up its turn meanwhile', async () => {
    await propose('a.example.org\nb.example.org\n');
    await isAsked();
    assert.equal(relay.isHeld, true);
    now += HELD_MS;
    await waitUntil('the time to be counted', () => journal.record.heldMs >= HELD_MS, 5_000);
    assert.equal(journal.record.lastCheckinAt, now);
    decide({ id: 'x', status: 'pending', notesRef: null });
    await answer();
    await waitUntil('nobody to be held', () => !relay.isHeld, 5_000);
  });

  for (const [what, file, hash, why] of [
    [
      'start from another file than the one in force',
      'b.example.org\n',
      '0'.repeat(64),
      /read the file again/,
    ],
    ['make no sense', 'a.example.org\n10.0.0.1\n', undefined, /^allowlist: line 2: "10\.0\.0\.1"/],
    ['would let the agent reach hosts of anybody', 'a.example.org\n*.co.uk\n', undefined, /below \*\.co\.uk/],
    ['change nothing', 'a.example.org\n', undefined, /changes nothing/],
  ] as const)
    it(`are refused with a reason when they ${what}`, async () => {
      await propose(file, hash);
      const { kind, reason } = (await answer()) as { kind: string; reason: string };
      assert.equal(kind, 'refused');
      assert.match(reason, why);
      assert.deepEqual(asked, []);
    });

  it('are passed on again until the run has them', async () => {
    const first = passOn;
    passOn = () => {
      passOn = first;
      return Promise.reject(new Error('Temporal is away'));
    };
    await propose('b.example.org\n');
    await waitUntil('the second time', () => asked.length === 2, 5_000);
    assert.deepEqual(asked[0], asked[1]);
    decide({ id: 'x', status: 'rejected', notesRef: null });
    assert.deepEqual(await answer(), { kind: 'decision', id: 'x', status: 'rejected', notes: '' });
  });

  it('are with the run when the agent is gone, and nobody waits for the answer', async () => {
    await propose('b.example.org\n');
    await isAsked();
    await relay.drainToEmpty(new AbortController().signal);
    assert.deepEqual(await readdir(paths.queueOut), []);
  });

  it('are the same when they are sent again, whatever file is in force by then', async () => {
    await propose('a.example.org\nb.example.org\n');
    await isAsked();
    const [, first] = asked[0] ?? [];
    const ref = first?.ref ?? '';
    await applyChange(ports, { ...input, changes: [ref] });
    assert.deepEqual(
      await proposeChange(ports, input, {
        ...{ kind: 'proposal', tool: 'pipelock-block', file: 'a.example.org\nb.example.org\n', at: now },
        ...{
          justification: 'the tests fetch it',
          currentHash: sha256('a.example.org\n'),
          slug: SLUG,
          turn: 1,
        },
      }),
      { kind: 'request', request: first },
    );
  });

  it('leave what was refused and not asked for to be offered to the operator', async () => {
    await propose('a.example.org\nb.example.org\n');
    await isAsked();
    const refusals = ['a.example.org', 'b.example.org', 'c.example.org'].map((host) => ({ host, count: 2 }));
    const offers = await offerHosts(ports, input, refusals);
    const shown = await Promise.all(
      offers.map(async ({ ref }) => readShownProposal(await blobs.getText(ref))),
    );
    assert.deepEqual(
      shown.map(({ change, proposal }) => [change, proposal.id]),
      [[{ kind: 'allowlist', add: ['c.example.org'], remove: [] }, offers[0]?.id]],
    );
    assert.match(
      shown[0]?.proposal.justification ?? '',
      /^c\.example\.org was refused 2 times in turn 1, and/,
    );
    // It can take effect like any other.
    await applyChange(ports, { ...input, changes: [offers[0]?.ref ?? ''] });
    assert.deepEqual((await readSetup(ports, input)).allow, ['a.example.org', 'c.example.org']);
    assert.deepEqual(await offerHosts(ports, input, refusals), []);
  });

  it('end no turn when they cannot be offered', async () => {
    const broken = { ...input, prepared: { ...input.prepared, bottleRef: 'f'.repeat(64) } };
    assert.deepEqual(await offerHosts(ports, broken, [{ host: 'c.example.org', count: 1 }]), []);
  });

  describe('when one is approved', () => {
    const approved = (change: unknown): Promise<string> => blobs.put(JSON.stringify({ change }));
    const apply = (...changes: readonly string[]): Promise<void> => applyChange(ports, { ...input, changes });
    const toRoute = (secret: string): unknown => ({
      kind: 'routes',
      set: [
        {
          name: 'api',
          upstream: 'https://api.example.org',
          methods: ['GET'],
          paths: ['/'],
          auth: { header: 'authorization', prefix: '', secret },
          baseUrlEnv: null,
          keyEnv: null,
          rewrite: false,
          model: null,
        },
      ],
      remove: [],
    });
    const config = (file: string): Promise<string> => readFile(join(paths.currentConfig, file), 'utf8');

    it('the sidecar sees it, and whoever makes its configuration anew', async () => {
      const ref = await approved({ kind: 'allowlist', add: ['b.example.org'], remove: [] });
      await apply(ref);
      await apply(ref);
      assert.equal(await config('allowlist'), 'a.example.org\nb.example.org\n');
      assert.deepEqual(await keptChanges(files, SLUG), [ref]);
      assert.deepEqual((await readSetup(ports, input)).allow, ['a.example.org', 'b.example.org']);
    });

    it('the secret of a new route is there, and gone when the turn has ended meanwhile', async () => {
      await apply(await approved(toRoute('bound')));
      assert.deepEqual(await readdir(paths.bundleSecrets), ['bound']);
      isBundleUp = false;
      await apply(await approved(toRoute('bound')));
      assert.deepEqual(await readdir(paths.bundleSecrets), []);
    });

    it('nothing changes where a secret is not bound to where it would be sent', async () => {
      const ref = await approved(toRoute('other'));
      await assert.rejects(apply(ref), { name: 'InvalidInputError', message: 'other is not bound' });
      assert.equal(await config('routes.json'), '{\n  "routes": []\n}\n');
      assert.deepEqual(await keptChanges(files, SLUG), []);
    });
  });
});
