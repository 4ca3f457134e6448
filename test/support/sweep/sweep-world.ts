/** A host with a home of its own on the real engine, and a sweeper over it that asks a real Temporal server. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import Docker from 'dockerode';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RowReview } from '../../../src/activities/ports/interface.js';
import { reviewRows } from '../../../src/activities/publish/review-rows.js';
import type { SweepPorts } from '../../../src/activities/sweep/carry-out.js';
import { sweepHost } from '../../../src/activities/sweep/sweep-host.js';
import { agentProvider } from '../../../src/adapters/agents/registry.js';
import { TurnSlots } from '../../../src/activities/ports/turn-slots.js';
import { dockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import { labelsOf } from '../../../src/adapters/docker/names-and-labels.js';
import { LocalBlobStore } from '../../../src/adapters/files/blob-store.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import type { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { sweepFile } from '../../../src/adapters/files/sweep-file.js';
import { openDatabase } from '../../../src/adapters/sqlite/open-database.js';
import { temporalRunChannel } from '../../../src/adapters/temporal/run-channel.js';
import { temporalRunStates } from '../../../src/adapters/temporal/run-states.js';
import { OneByOne } from '../../../src/domain/base/one-by-one.js';
import { METADATA_FILE } from '../../../src/domain/run/run-metadata.js';
import { workflowIdOf, type SubjectRef } from '../../../src/domain/forge/issue.js';
import type { Database } from '../../../src/domain/run/stores.js';
import type { SweepReport } from '../../../src/domain/upkeep/sweep.js';
import { branchOf } from '../../../src/domain/run/slug.js';
import { GitFixture } from '../../integration/git/git-fixture.js';
import { sampleHome } from '../host/sample-home.js';
import { idleDiskGuard, sampleHostSettings } from '../host/sample-host.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { runFilesIn } from '../files/run-files-in.js';

export const SIX_MINUTES = 6 * 60_000;
const IMAGE = 'bot-bottle/bundle:dev';

export class SweepWorld {
  readonly docker = new Docker();
  readonly home: string;
  readonly host = `sweep${randomBytes(4).toString('hex')}`.slice(0, 12);
  readonly runtime = dockerBottleRuntime({ docker: this.docker, host: this.host });
  readonly files: LocalRunFiles;
  /** Milliseconds by which the sweeper's clock is ahead: what is made now is that old. */
  ahead = SIX_MINUTES;
  readonly watched = new Set<string>();
  private readonly planted: { readonly name: string; readonly type: 'container' | 'volume' }[] = [];
  private readonly pinned: string[] = [];

  static async make(client: Client): Promise<SweepWorld> {
    const git = new GitFixture();
    return new SweepWorld(client, git, await openDatabase(join(git.root, 'home', 'bot-bottle.db')));
  }

  private constructor(
    private readonly client: Client,
    readonly git: GitFixture,
    readonly database: Database,
  ) {
    this.home = join(git.root, 'home');
    this.files = runFilesIn(this.home);
    writeFileSync(join(this.home, 'host-id'), `${this.host}\n`, { mode: 0o600 });
  }

  ports(): HostPorts {
    const log = { info: () => undefined, warn: () => undefined };
    return {
      host: this.host,
      hasSecret: () => false,
      isPublicSuffix: () => false,
      runtime: this.runtime,
      files: this.files,
      queue: new LocalQueueDirectory({ home: this.home }),
      blobs: new LocalBlobStore(this.home),
      underWay: {
        during: (_work, run) => run(),
        reached: () => Promise.resolve(),
        whySetAside: () => Promise.resolve(null),
        forget: () => Promise.resolve(),
      },
      git: this.git.repository(),
      forgeFor: () => {
        throw new Error('the sweeper does not ask the forge');
      },
      forks: null,
      channel: temporalRunChannel(this.client),
      provider: agentProvider,
      slots: new TurnSlots(1, () => Promise.resolve([])),
      placing: new OneByOne(),
      secrets: new SecretGuard(null, () => []),
      disk: idleDiskGuard(),
      clock: { now: () => Date.now() + this.ahead },
      log,
      settings: sampleHostSettings({ bundleImage: IMAGE }),
    };
  }

  /** As the workflow does it: the rows first, then the host. */
  async sweep(client = this.client, archiveAfterMs: number | null = null): Promise<SweepReport> {
    const { expected } = await this.review(client);
    const ports: SweepPorts = {
      ...this.ports(),
      runStates: temporalRunStates(client),
      sweeps: sweepFile(join(this.home, 'sweep.json')),
      archiveAfterMs,
      isWatched: (slug) => this.watched.has(slug),
    };
    return sweepHost(ports, expected, new AbortController().signal);
  }

  review(client = this.client): Promise<RowReview> {
    const { blobs, clock, forgeFor, log } = this.ports();
    const home = sampleHome(
      { blobs, clock, database: this.database, forgeFor },
      { dayBudget: { turns: 1, tokens: 1, microUsd: 1 } },
    );
    return reviewRows({ ...home, log, runStates: temporalRunStates(client) }, this.host);
  }

  /** A container with our labels that does nothing: `created`, or started with a long sleep. */
  async container(
    slug: string,
    role: string,
    { running = false, host = this.host, name = `bb-${slug}-${role}` } = {},
  ): Promise<string> {
    const container = await this.docker.createContainer({
      name,
      Image: IMAGE,
      Entrypoint: ['sleep', '3600'],
      User: '1000:1000',
      Labels: labelsOf(slug, role, host),
      HostConfig: { NetworkMode: 'none' },
    });
    this.planted.push({ type: 'container', name });
    if (running) await container.start();
    return name;
  }

  async volume(slug: string, kind: 'home' | 'sock', host = this.host): Promise<string> {
    const Name = `bb-${slug}-${kind}`;
    await this.docker.createVolume({ Name, Labels: labelsOf(slug, kind, host) });
    this.planted.push({ type: 'volume', name: Name });
    return Name;
  }

  /** An image is kept for the run. */
  async pin(slug: string): Promise<void> {
    this.pinned.push(slug);
    await this.runtime.pinImage(slug, IMAGE);
  }

  /** Whether it still is. */
  async isPinned(slug: string): Promise<boolean> {
    return (await this.runtime.pinnedRuns()).includes(slug);
  }

  /** The directories of a run after a turn, with what is kept of it, and whose it is. */
  async directory(slug: string, subject: SubjectRef | null = null): Promise<string> {
    const paths = await this.files.prepare(slug);
    await this.files.saveFile(slug, 'turns/1/agent.log', 'said\n');
    await this.files.saveFile(slug, 'transcript/session.tar', 'session');
    if (subject !== null) {
      const metadata = {
        workflowId: workflowIdOf(subject),
        repoId: 7,
        subject,
        branch: branchOf(slug, subject.number),
      };
      await this.files.saveFile(slug, METADATA_FILE, JSON.stringify(metadata));
    }
    return paths.root;
  }

  /** Names of what is left of a run on the engine, also of other hosts. */
  async objects(slug: string): Promise<string[]> {
    return (await dockerBottleRuntime({ docker: this.docker }).list(slug)).map(({ name }) => name);
  }

  /** Removes what tests planted. */
  async close(): Promise<void> {
    for (const { type, name } of this.planted) {
      const thing = type === 'container' ? this.docker.getContainer(name) : this.docker.getVolume(name);
      await thing.remove({ force: true }).catch(() => undefined);
    }
    for (const slug of this.pinned) await this.runtime.unpinImage(slug);
    await this.database.close();
    await rm(this.git.root, { recursive: true, force: true });
  }
}
