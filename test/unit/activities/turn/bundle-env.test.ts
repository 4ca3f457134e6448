import assert from 'node:assert/strict';
import { bundleEnv } from '../../../../src/activities/turn/begin/create-bundle.js';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../../src/activities/ports/inputs.js';
import { readBundleConfig } from '../../../../src/bundle/config.js';
import { RunDirectory } from '../../../support/bundle/run-directory.js';
import { sampleHostSettings } from '../../../support/host/sample-host.js';

describe('what the worker tells the sidecar', () => {
  it('has the rates that are set', () => {
    const settings = sampleHostSettings({ bundleCallsPerMinute: 12, bundleWritesPerMinute: 3 });
    const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 4 };
    const env = bundleEnv(
      { settings } as unknown as HostPorts,
      { subject, slug: 'dev-alice-demo-4-abcde', prNumber: null } as unknown as RunTurnInput,
    );
    const run = new RunDirectory({ turn: 1 });
    try {
      const { rateLimits } = readBundleConfig({ ...env, BUNDLE_RUN_DIR: run.root });
      assert.deepEqual(rateLimits, { callsPerMinute: 12, writesPerMinute: 3 });
    } finally {
      run.remove();
    }
  });
});
