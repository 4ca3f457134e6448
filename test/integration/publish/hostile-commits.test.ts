import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { PublishResult } from '../../../src/domain/run/turn.js';
import { HOSTILE_COMMITS } from '../../corpus/commits/index.js';
import type { HostileCommits, Place } from '../../corpus/commits/hostile-commits.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import { extractionReport } from '../../support/publish/extraction-report.js';
import { AGENT, GateWorld } from '../../support/publish/gate-world.js';

const MIB = 1024 ** 2;
/** Some smaller than the product's: an answer is to come soon. */
const PUBLISH_LIMITS = {
  ...{ maxBytes: 128 * MIB, maxFileBytes: 12 * MIB },
  ...{ maxCommits: 1_000, maxFiles: 5_000 },
};
const LIMITS = { memoryBytes: 512 * MIB, cpuSeconds: 2, timeoutMs: 60_000 };
/** Blocked for the 17 s of before, or by anything that grows with what an agent sends; not by a machine that is busy. */
const TOLERANCE_MS = 2_000;

describe('commits made to hold the orchestrator up', function () {
  this.timeout(180_000);
  let world: GateWorld;
  let place: Place;
  let extractions = 0;
  before(async () => {
    const gitea = await sharedGitea();
    world = await GateWorld.create(gitea, {
      ...{ settings: { requestReview: false }, publishLimits: PUBLISH_LIMITS, gitLimits: LIMITS },
    });
    await world.agent('true');
    const base = world.refs?.baseSha ?? '';
    place = { branch: world.branch, base, author: AGENT, secret: gitea.bot.sidecarToken };
  });
  after(async () => {
    await world.remove();
  });

  const portsWith = (stdout: Uint8Array): HostPorts => ({
    ...world.ports,
    runtime: Object.assign(Object.create(world.runtime) as typeof world.runtime, {
      runOnce: () => {
        extractions += 1;
        return Promise.resolve({ exitCode: 0, stdout, stderr: '' });
      },
    }),
  });

  /** The agent's `open_pr` with the commits in the extractor's answer; a heart beats beside it on the same loop. */
  const open = async (bundle: Buffer): Promise<{ result: PublishResult; lagMs: number; beats: number }> => {
    const head = /^([0-9a-f]{40}) refs/m.exec(bundle.toString('latin1', 0, 1024))?.[1] ?? '';
    const { ports } = world;
    world.ports = portsWith(extractionReport({ head, bundle }));
    const lag = monitorEventLoopDelay({ resolution: 10 });
    let beats = 0;
    const heart = setInterval(() => (beats += 1), 10);
    lag.enable();
    try {
      const result = await world.openPr('Work');
      return { result, lagMs: lag.max / 1e6, beats };
    } finally {
      lag.disable();
      clearInterval(heart);
      world.ports = ports;
    }
  };

  /** So that the next ones find the forge as these did. */
  const takeBack = async (): Promise<void> => {
    const { api } = world.alice;
    await api.call('DELETE', `/repos/${world.repository}/branches/${encodeURIComponent(world.branch)}`);
    world.latestPr = null;
  };

  const answered = ({ end }: HostileCommits, result: PublishResult): void => {
    if (end === 'published') assert.equal(result.kind, 'published', JSON.stringify(result).slice(0, 500));
    else {
      assert.equal(result.kind, 'refused', JSON.stringify(result).slice(0, 500));
      assert.match(result.reason, end);
    }
  };

  for (const hostile of HOSTILE_COMMITS) {
    it(`${hostile.name}: an answer, and the heart goes on`, async () => {
      const bundle = hostile.bundle(place);
      extractions = 0;
      const { result, lagMs, beats } = await open(bundle);
      if (result.kind === 'published') await takeBack();
      answered(hostile, result);
      assert.equal(extractions, 1);
      assert.ok(lagMs < TOLERANCE_MS, `the loop stood still for ${String(Math.round(lagMs))} ms`);
      assert.ok(beats > 0);
    });
  }
});
