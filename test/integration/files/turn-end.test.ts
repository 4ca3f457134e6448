import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { superviseTurn } from '../../../src/activities/turn/supervise-turn.js';
import { blankTurnRecord } from '../../../src/activities/turn/turn-journal.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import type { BottleRuntime, ContainerState } from '../../../src/domain/bottle/bottle-runtime.js';
import type { RunChannel } from '../../../src/domain/run/run-channel.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const HOUR_MS = 3_600_000;
const SLUG = 'dev-alice-demo-1-abcde';
const EXITED = { running: false, exitCode: 0, oomKilled: false } as Partial<ContainerState> as ContainerState;
const { signal: NEVER } = new AbortController();

/** The agent said that it is done and has exited; only the way to the workflow is played. */
describe('the end of a turn whose agent said that it is done', function () {
  this.timeout(30_000);
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-turn-end-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  async function end(sayDone: () => Promise<void>): Promise<void> {
    const files = runFilesIn(home, { canChown: false });
    const { queueOut } = await files.prepare(SLUG);
    await files.writeTurn(SLUG, { ...blankTurnRecord(1), baseSha: 'b' });
    const body = {
      kind: 'done',
      slug: SLUG,
      turn: 1,
      status: 'success',
      summary: 'It is done.',
      at: 1,
    } as const;
    await new QueueWriter(queueOut, Date.now).write('request1', body);
    const runtime: Partial<BottleRuntime> = {
      followLogs: () => Promise.resolve({ mayHaveGap: false }),
      // The sidecar runs until it is stopped.
      waitForExit: (_slug, role, signal) =>
        role === 'agent' ? Promise.resolve(0) : delay(HOUR_MS, 0, { signal }),
      inspect: () => Promise.resolve(EXITED),
      stop: () => Promise.resolve(),
    };
    const ports: Partial<HostPorts> = {
      files,
      runtime: runtime as BottleRuntime,
      queue: new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? 0 }),
      blobs: new LocalBlobStore(home),
      underWay: await UnderWayFiles.open(home),
      channel: {
        tell: (_workflowId, { kind }) => (kind === 'signal_done' ? sayDone() : Promise.resolve()),
      } as Partial<RunChannel> as RunChannel,
      provider: agentProvider,
      disk: { look: () => Promise.resolve(), watch: () => () => null } as unknown as HostPorts['disk'],
      slots: { adopt: () => undefined } as Partial<HostPorts['slots']> as HostPorts['slots'],
      clock: { now: Date.now },
      log: { info: () => undefined, warn: () => undefined },
    };
    const input = {
      workflowId: 'gitea:alice/demo#1',
      slug: SLUG,
      turn: 1,
      begun: true,
      stop: null,
      doneGraceMs: 20_000,
      turnTimeoutMs: 60_000,
      prepared: { provider: 'scripted', limits: { memoryBytes: 1 } },
    } as Partial<RunTurnInput> as RunTurnInput;
    const link = { detach: NEVER, stop: NEVER, onBegun: () => undefined };
    const { done } = await superviseTurn(ports as HostPorts, input, link);
    assert.equal(done?.status, 'success');
  }

  it('waits until the workflow has heard of it', async () => {
    let heard = false;
    await end(async () => {
      await delay(200);
      heard = true;
    });
    assert.equal(heard, true);
  });

  it('says it no more once it is over: whoever could not be told reads it in the result', async () => {
    let tries = 0;
    await end(() => {
      tries += 1;
      return Promise.reject(new Error('Temporal is away'));
    });
    const before = tries;
    await delay(2_000);
    assert.ok(before > 0);
    assert.equal(tries, before);
  });
});
