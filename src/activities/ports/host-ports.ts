import type { AgentProvider } from '../../domain/agent/agent-provider.js';
import type { BottleRuntime } from '../../domain/bottle/bottle-runtime.js';
import type { Clock } from '../../domain/base/clock.js';
import type { OneByOne } from '../../domain/base/one-by-one.js';
import type { ForgeFor } from '../../domain/forge/forge.js';
import type { Forks } from '../../domain/forge/forks.js';
import type { GitRepository, PublishLimits } from '../../domain/workspace/git-repository.js';
import type { RegistryLocations } from '../../domain/bottle/registries.js';
import type { QueueDirectory } from '../../domain/run/queue-directory.js';
import type { SecretGuard } from '../../domain/secret/secret-guard.js';
import type { RunChannel } from '../../domain/run/run-channel.js';
import type { BlobStore, RunFiles } from '../../domain/run/run-files.js';
import type { Tracing } from '../../domain/base/tracing.js';
import type { UnderWay } from '../../domain/run/under-way.js';
import type { DiskGuard } from './disk-guard.js';
import type { TurnSlots } from './turn-slots.js';
import type { Log } from '../../domain/base/log.js';

/** Everything a host needs to run turns; filled in by the worker's composition root. */
export interface HostPorts {
  readonly host: string;
  readonly runtime: BottleRuntime;
  readonly files: RunFiles;
  readonly queue: QueueDirectory;
  readonly blobs: BlobStore;
  readonly underWay: UnderWay;
  readonly git: GitRepository;
  readonly secrets: SecretGuard;
  /** Whether the operator has set it, usable or not: `secrets/<name>`. */
  readonly hasSecret: (name: string) => boolean;
  /** Whether anybody may have a host below it, such as `co.uk`. */
  readonly isPublicSuffix: (host: string) => boolean;
  readonly forgeFor: ForgeFor;
  /** `null`: runs publish to branches of the repository itself. */
  readonly forks: Forks | null;
  readonly channel: RunChannel;
  readonly provider: (name: string) => AgentProvider;
  readonly slots: TurnSlots;
  /** By slug: who gives a bottle that runs its files, or takes them away, does it alone. All of a host's are of one process. */
  readonly placing: OneByOne;
  readonly disk: DiskGuard;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly tracing?: Tracing | undefined;
  readonly settings: HostSettings;
}

export interface HostSettings {
  readonly bundleImage: string;
  readonly bundleNetwork: string;
  /** As the sidecar bundle reaches it: the forge's API URL. */
  readonly forgeApi: string;
  /** Directory of the Unix socket that stands for a forge on loopback; `null` when the forge is elsewhere. */
  readonly loopbackDir: string | null;
  readonly caFile: string | null;
  /** What an agent may send through the forward proxy in a turn, bytes. */
  readonly egressUploadBytes: number;
  /** OCI runtime, such as `runsc`; `null` for the engine's default. */
  readonly containerRuntime: string | null;
  readonly registries: RegistryLocations;
  readonly models: ModelSettings;
  /** What an agent may ask of its sidecar. */
  readonly bundleCallsPerMinute: number;
  readonly bundleWritesPerMinute: number;
  readonly publishLimits: PublishLimits;
  readonly maxTranscriptBytes: number;
  /** Ask the person who triggered the run for a review of its PR. */
  readonly requestReview: boolean;
}

export interface ModelSettings {
  /** Addresses in place of the vendors' own, by the names of the providers' routes. */
  readonly upstreams: Readonly<Record<string, string>>;
  /** Most tokens of output that a request to a provider's route may ask for. */
  readonly maxOutputTokens: number;
  /** Prices that go before the vendors', as `parsePrices` reads them. */
  readonly prices: string;
}
