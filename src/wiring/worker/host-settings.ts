import type { HostSettings } from '../../activities/ports/host-ports.js';
import type { DiskLimits } from '../../activities/ports/disk-guard.js';
import type { Config } from '../../config/load-config.js';
import type { ConfiguredForge } from '../forge-of-config.js';
import type { PublishLimits } from '../../domain/workspace/git-repository.js';
import { modelUpstreams } from '../needs-world.js';

const MIB = 1024 * 1024;
export const PUBLISH_LIMITS: PublishLimits = {
  maxBytes: 256 * MIB,
  maxFiles: 5_000,
  maxCommits: 1_000,
  // A forge has no limit of its own, or one that says so at the push.
  maxFileBytes: 100 * MIB,
};

/** What the operator's settings say to the activities of this host. */
export function hostSettings(
  config: Config,
  { api }: ConfiguredForge,
  loopbackDir: string | null,
): HostSettings {
  return {
    bundleImage: config.BUNDLE_IMAGE,
    bundleNetwork: config.BUNDLE_NETWORK,
    forgeApi: api,
    loopbackDir,
    caFile: config.FORGE_CA_FILE,
    egressUploadBytes: config.BUNDLE_EGRESS_UPLOAD_BYTES,
    containerRuntime: config.BOTTLE_RUNTIME,
    registries: {
      npm: config.REGISTRY_NPM,
      pypi: config.REGISTRY_PYPI,
      go: config.REGISTRY_GO,
      cargo: config.REGISTRY_CARGO,
      maven: config.REGISTRY_MAVEN,
    },
    models: {
      upstreams: modelUpstreams(config),
      maxOutputTokens: config.MODEL_MAX_OUTPUT,
      prices: (config.MODEL_PRICES ?? []).join(','),
    },
    bundleCallsPerMinute: config.BUNDLE_CALLS_PER_MINUTE,
    bundleWritesPerMinute: config.BUNDLE_WRITES_PER_MINUTE,
    publishLimits: PUBLISH_LIMITS,
    maxTranscriptBytes: config.TRANSCRIPT_MAX,
    requestReview: config.FORGE_PR_REVIEWER === 'trigger',
  };
}

export function diskLimits(config: Config): DiskLimits {
  const { BOTTLE_DISK: bytes, BOTTLE_INODES: inodes, BOTTLE_DISK_FREE: freeBytes } = config;
  return { quota: { bytes, inodes }, freeBytes };
}
