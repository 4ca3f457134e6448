import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { readEgress } from '../../../src/activities/turn/egress-record.js';
import { Relay } from '../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { writeHeader } from '../../../src/activities/turn/begin/write-header.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import type { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import { NO_BUDGET, NO_USE, type ModelBudget, type ModelUse } from '../../../src/domain/run/model-use.js';
import type { EgressMessage, QueueBody } from '../../../src/domain/run/queue.js';
import { sampleHostSettings } from '../../support/host/sample-host.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const SLUG = 'dev-alice-demo-1-abcde';
const NOW = 1_000_000;

/** The worker's end of the queue, over real files, without an engine. */
describe('what the worker makes of egress totals', () => {
  let home = '';
  let files: LocalRunFiles;
  let journal: TurnJournal;
  let relay: Relay;
  let sidecar: QueueWriter;
  let sent = 0;
  let overBudget = 0;
  const warnings: string[] = [];

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-egress-relay-'));
    sent = 0;
    warnings.length = 0;
    files = runFilesIn(home, { canChown: false });
    const { queueOut } = await files.prepare(SLUG);
    const clock = { now: () => NOW };
    journal = await TurnJournal.open(files, SLUG, 2, clock);
    const ports: Partial<HostPorts> = {
      files,
      underWay: await UnderWayFiles.open(home),
      clock,
      queue: new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? 0 }),
      log: { info: () => undefined, warn: (_fields, message) => warnings.push(message) },
    };
    const input: Partial<RunTurnInput> = { slug: SLUG, turn: 2 };
    overBudget = 0;
    const events = {
      onDone: () => undefined,
      onFlood: () => undefined,
      onSetAside: () => undefined,
      onOverBudget: () => (overBudget += 1),
    };
    relay = new Relay(ports as HostPorts, input as RunTurnInput, journal, events);
    sidecar = new QueueWriter(queueOut, Date.now);
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function tell(body: QueueBody): Promise<void> {
    sent += 1;
    await sidecar.write(`message${String(sent)}`, body);
    await relay.drain(new AbortController().signal);
  }

  const egress = (process: string, count: number, lastSuccessAt: number | null = null): EgressMessage => ({
    kind: 'egress',
    slug: SLUG,
    turn: 2,
    process,
    hosts: [{ host: 'a.org', route: null, connections: count, bytesUp: count, bytesDown: count }],
    refusals: [{ host: 'evil.example', count }],
    lastSuccessAt,
    model: null,
    at: NOW,
  });
  const connections = async (): Promise<number | undefined> =>
    (await readEgress(files, SLUG, 2)).hosts[0]?.connections;

  it('are the latest of each process, added up, also by a worker that came later', async () => {
    for (const message of [egress('process1', 1), egress('process1', 3), egress('process2', 2)])
      await tell(message);
    assert.equal(await connections(), 5);
    assert.deepEqual(await readEgress(files, SLUG, 2), {
      hosts: [{ host: 'a.org', route: null, connections: 5, bytesUp: 5, bytesDown: 5 }],
      refusals: [{ host: 'evil.example', count: 5 }],
      model: null,
    });
    assert.deepEqual(await readEgress(files, SLUG, 1), { hosts: [], refusals: [], model: null });
  });

  it('have what each process used of models together, and the trouble of the one that reported last', async () => {
    const used = (requests: number): ModelUse => ({ ...NO_USE, requests, outputTokens: 7, microUsd: 3 });
    const trouble = { kind: 'overloaded', status: 529 } as const;
    await tell({ ...egress('process1', 1), model: { use: used(1), trouble } });
    await tell({ ...egress('process1', 1), model: { use: used(2), trouble } });
    await tell({ ...egress('process2', 1), model: { use: used(5), trouble: null } });
    assert.deepEqual((await readEgress(files, SLUG, 2)).model, {
      use: { ...NO_USE, requests: 7, outputTokens: 14, microUsd: 6 },
      trouble: null,
    });
    await tell({ ...egress('process1', 1), model: { use: used(2), trouble } });
    assert.deepEqual((await readEgress(files, SLUG, 2)).model?.trouble, trouble);
    assert.equal(overBudget, 0);
  });

  it('say when the budget is used up, and a sidecar that is started again gets what is left', async () => {
    const model = { use: { ...NO_USE, inputTokens: 900, microUsd: 5 }, trouble: null };
    await tell({ ...egress('process1', 1), model });
    await tell({
      ...egress('process1', 1),
      model: { ...model, trouble: { kind: 'over_budget', what: 'tokens' } },
    });
    assert.equal(overBudget, 1);
    const settings = sampleHostSettings({
      models: { upstreams: {}, maxOutputTokens: 1, prices: 'm=1:2' },
      egressUploadBytes: 10,
    });
    const input = { slug: SLUG, turn: 2, prNumber: null, subject: { owner: 'a', repo: 'b' } };
    const header = async (budget: ModelBudget): Promise<unknown> => {
      const given = { ...input, budget } as unknown as RunTurnInput;
      await writeHeader({ files, queue: new LocalQueueDirectory({ home }), settings }, given, {
        readers: null,
      });
      const file = join(files.paths(SLUG).queueIn, 'turn.json');
      return JSON.parse(await readFile(file, 'utf8'));
    };
    // One of its bytes has gone up.
    const head = { turn: 2, prNumber: null, owner: 'a', repo: 'b', prices: 'm=1:2', uploadBytes: 9 };
    assert.deepEqual(await header({ tokens: 1000, microUsd: 3 }), {
      ...head,
      budget: { tokens: 100, microUsd: 0 },
    });
    assert.deepEqual(await header(NO_BUDGET), { ...head, budget: NO_BUDGET });
    await tell(egress('process2', 20));
    assert.deepEqual(await header(NO_BUDGET), { ...head, uploadBytes: 0, budget: NO_BUDGET });
  });

  it('of another turn are not taken', async () => {
    await tell({ ...egress('process1', 1), turn: 1 });
    assert.equal(await connections(), undefined);
  });

  it('are no sign of life', async () => {
    await tell(egress('process1', 1));
    assert.equal(journal.record.lastCheckinAt, 0);
    await tell({ kind: 'operations', slug: SLUG, turn: 2, lines: [], at: NOW });
    assert.equal(journal.record.lastCheckinAt, NOW);
  });

  it('with a good answer of a route are one, of the time it came, and never of the future', async () => {
    await tell(egress('process1', 1, NOW - 5_000));
    assert.equal(journal.record.lastCheckinAt, NOW - 5_000);
    await tell(egress('process1', 2, NOW - 9_000));
    assert.equal(journal.record.lastCheckinAt, NOW - 5_000);
    await tell(egress('process1', 3, NOW + 3_600_000));
    assert.equal(journal.record.lastCheckinAt, NOW);
  });

  it('of more sidecars than there can be are left out, and the others kept', async () => {
    for (let process = 0; process < 12; process += 1) await tell(egress(`process${String(process)}`, 1));
    assert.equal(await connections(), 8);
    assert.equal(warnings.length, 4);
    await tell(egress('process0', 10));
    assert.equal(await connections(), 17);
  });
});
