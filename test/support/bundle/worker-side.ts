import { rmSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { Relay } from '../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import type { QueueDirectory } from '../../../src/domain/run/queue-directory.js';
import type { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import type { RunDirectory } from './run-directory.js';

const SLUG = 'dev-alice-demo-1-abcde';

/** The worker's end of a sidecar's queue, without an engine: its relay over the same directories. */
export class WorkerSide {
  readonly warnings: string[] = [];
  readonly queue: QueueDirectory;
  #relay:
    { readonly relay: Relay; readonly over: AbortController; readonly running: Promise<void> } | undefined;

  private constructor(
    private readonly home: string,
    readonly files: LocalRunFiles,
  ) {
    this.queue = new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? 0 });
  }

  static async beside(run: RunDirectory): Promise<WorkerSide> {
    run.textVerdict = undefined;
    const home = await mkdtemp(join(tmpdir(), 'bb-worker-side-'));
    const files = new LocalRunFiles({
      home,
      forgeToken: () => Promise.resolve('token'),
      secret: () => Promise.resolve('secret'),
      canChown: false,
    });
    const { queueOut, queueIn } = await files.prepare(SLUG);
    for (const [ours, theirs] of [
      [queueOut, run.out],
      [queueIn, run.in],
    ] as const) {
      rmSync(ours, { recursive: true });
      symlinkSync(theirs, ours);
    }
    return new WorkerSide(home, files);
  }

  /** A worker comes and carries messages until `leave` or `endTurn`. */
  async come(secrets: SecretGuard, queue: QueueDirectory = this.queue): Promise<void> {
    const clock = { now: Date.now };
    const ports: Partial<HostPorts> = {
      files: this.files,
      clock,
      queue,
      underWay: await UnderWayFiles.open(this.home),
      secrets,
      log: { info: () => undefined, warn: (_fields, message) => this.warnings.push(message) },
    };
    const input: Partial<RunTurnInput> = { slug: SLUG, turn: 1 };
    const events = {
      onDone: () => undefined,
      onFlood: () => this.warnings.push('flood'),
      onOverBudget: () => undefined,
      onSetAside: () => this.warnings.push('set aside'),
    };
    const journal = await TurnJournal.open(this.files, SLUG, 1, clock);
    const relay = new Relay(ports as HostPorts, input as RunTurnInput, journal, events);
    const over = new AbortController();
    this.#relay = { relay, over, running: relay.run(over.signal) };
  }

  /** As a worker that goes away in the middle of a turn. */
  async leave(): Promise<void> {
    this.#relay?.over.abort();
    await this.#relay?.running;
    this.#relay = undefined;
  }

  /** As at the end of a turn, when the sidecar is gone. @param meanwhile what happened before it was */
  async endTurn(meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    const relay = this.#relay?.relay;
    await this.leave();
    await meanwhile();
    await relay?.drainToEmpty(new AbortController().signal);
  }

  readFile(path: string): Promise<Uint8Array | undefined> {
    return this.files.readFile(SLUG, path);
  }

  get turn(): { readonly slug: string; readonly turn: number } {
    return { slug: SLUG, turn: 1 };
  }

  async remove(): Promise<void> {
    await this.leave();
    // The relay's last message may still be on its way to the queue.
    await rm(this.home, { recursive: true, force: true, maxRetries: 10 });
  }
}
