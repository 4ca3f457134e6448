import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { Relay } from '../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import type { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import type { RunPaths } from '../../../src/domain/run/run-files.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { runFilesIn } from './run-files-in.js';

/** A run whose queue is relayed. */
export interface RelayedRun {
  readonly slug: string;
  readonly paths: RunPaths;
  /** Why files were taken away. */
  readonly refused: string[];
  /** Other warnings. */
  readonly warnings: string[];
  isFlooded: boolean;
  /** As at the end of a turn, when the sidecar is gone. */
  readonly endTurn: () => Promise<void>;
}

/** The part of a worker that relays queues, for several runs on one event loop: without engine, Temporal and scanner. */
export class RelayingWorker {
  private constructor(
    private readonly home: string,
    readonly files: LocalRunFiles,
    readonly queue: LocalQueueDirectory,
    private readonly underWay: UnderWayFiles,
  ) {}

  static async start(): Promise<RelayingWorker> {
    const home = await mkdtemp(join(tmpdir(), 'bb-relaying-'));
    const files = runFilesIn(home, { canChown: false });
    const queue = new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? -1 });
    return new RelayingWorker(home, files, queue, await UnderWayFiles.open(home));
  }

  async begin(slug: string): Promise<RelayedRun> {
    const { files, queue, underWay } = this;
    const paths = await files.prepare(slug);
    const clock = { now: Date.now };
    const run: RelayedRun = {
      slug,
      paths,
      refused: [],
      warnings: [],
      isFlooded: false,
      endTurn: async () => {
        over.abort();
        await running;
        await relay.drainToEmpty(new AbortController().signal);
      },
    };
    const ports: Partial<HostPorts> = {
      files,
      queue,
      underWay,
      clock,
      blobs: new LocalBlobStore(join(this.home, 'blobs')),
      secrets: new SecretGuard(null, () => []),
      channel: {
        openPr: () => Promise.resolve({ kind: 'refused', reason: 'no' }),
      } as unknown as HostPorts['channel'],
      log: {
        info: () => undefined,
        warn: ({ reason }, message) => {
          if (message === 'a file in the queue was refused') run.refused.push(String(reason));
          else run.warnings.push(message);
        },
      },
    };
    const events = {
      onDone: () => undefined,
      onFlood: () => (run.isFlooded = true),
      onOverBudget: () => undefined,
      onSetAside: () => run.warnings.push('set aside'),
    };
    const input: Partial<RunTurnInput> = { slug, turn: 1, workflowId: 'w' };
    const journal = await TurnJournal.open(files, slug, 1, clock);
    const relay = new Relay(ports as HostPorts, input as RunTurnInput, journal, events);
    const over = new AbortController();
    const running = relay.run(over.signal);
    return run;
  }

  async remove(): Promise<void> {
    await this.underWay.close();
    await rm(this.home, { recursive: true, force: true, maxRetries: 10 });
  }
}
