/** What host activities need and a test does not care about. */
import type { HostSettings } from '../../../src/activities/ports/host-ports.js';
import { DiskGuard } from '../../../src/activities/ports/disk-guard.js';

const MIB = 1024 * 1024;

export function sampleHostSettings(more: Partial<HostSettings> = {}): HostSettings {
  return {
    bundleImage: 'bot-bottle/bundle:dev',
    bundleNetwork: 'none',
    forgeApi: 'http://forge.invalid/api/v1',
    loopbackDir: null,
    caFile: null,
    egressUploadBytes: MIB,
    containerRuntime: null,
    registries: { npm: null, pypi: null, go: null, cargo: null, maven: null },
    models: { upstreams: {}, maxOutputTokens: 64_000, prices: '' },
    bundleCallsPerMinute: 240,
    bundleWritesPerMinute: 30,
    publishLimits: { maxBytes: MIB, maxFiles: 100, maxCommits: 50, maxFileBytes: MIB },
    maxTranscriptBytes: MIB,
    requestReview: false,
    ...more,
  };
}

/** For tests in which no turn runs, so that nothing is ever measured. */
export function idleDiskGuard(): DiskGuard {
  return new DiskGuard(
    { space: () => Promise.reject(new Error('no turn runs')), usage: () => Promise.resolve(null) },
    { quota: { bytes: 1, inodes: 1 }, freeBytes: 0 },
    { now: Date.now },
    { warn: () => undefined },
  );
}
