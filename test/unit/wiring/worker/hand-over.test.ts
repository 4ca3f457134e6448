import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { WorkflowBundles } from '../../../../src/adapters/files/workflow-bundles.js';
import { createLogger } from '../../../../src/config/log.js';
import { DEFAULT_POLICY } from '../../../../src/domain/run/run-policy.js';
import { handOver } from '../../../../src/wiring/worker/hand-over.js';
import { waitUntil } from '../../../support/stack/stack.js';

const { WorkerDeploymentVersionStatus: Status } = proto.temporal.api.enums.v1;
const DRAINING = Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING;
const DRAINED = Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED;
const log = createLogger({ level: 'silent', name: 'worker', secrets: () => new Set() });

describe('handing runs over', () => {
  let home: string;
  let bundles: WorkflowBundles;
  let status: number;
  let listed: string[];
  let looks: number;
  let signals: string[];
  let earlier: string[];
  let stopped: AbortController;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-hand-over-'));
    bundles = await WorkflowBundles.open(home);
    for (const version of ['old', 'new']) await bundles.keep(version, version, '1.0.0');
    await bundles.keepToldSettings(JSON.stringify(DEFAULT_POLICY));
    status = DRAINING;
    listed = [];
    looks = 0;
    signals = [];
    earlier = ['old'];
    stopped = new AbortController();
  });
  afterEach(async () => {
    stopped.abort();
    await rm(home, { recursive: true });
  });

  // The server cannot be told to have a list that lags.
  const client = {
    options: { namespace: 'default', identity: 'test' },
    withAbortSignal: (_: AbortSignal, work: () => Promise<unknown>) => work(),
    workflowService: {
      setWorkerDeploymentCurrentVersion: () => Promise.resolve({}),
      describeWorkerDeploymentVersion: () => {
        looks += 1;
        return Promise.resolve({ workerDeploymentVersionInfo: { status } });
      },
    },
    workflow: {
      list: () => listed.map((workflowId) => ({ workflowId })),
      getHandle: (id: string) => ({
        signal: () => {
          signals.push(id);
          return Promise.resolve();
        },
      }),
    },
  } as unknown as Client;

  function begin(): Promise<void> {
    const workers = {
      earlier,
      stranded: new Map<string, string>(),
      endVersion: (version: string) => {
        earlier.splice(earlier.indexOf(version), 1);
      },
      replayError: () => Promise.resolve(undefined),
    };
    const parts = { client, buildId: 'new', bundles, workers, policy: DEFAULT_POLICY, log, pausesMs: [1] };
    return handOver(parts, stopped.signal);
  }

  it('keeps the code of a version until the server says that it is drained, whatever is listed', async () => {
    const handing = begin();
    await waitUntil('a second look', () => looks > 1);
    assert.deepEqual(new Set(await bundles.list()), new Set(['old', 'new']));
    status = DRAINED;
    await handing;
    assert.deepEqual(await bundles.list(), ['new']);
    assert.deepEqual(earlier, []);
  });

  it('keeps the code of a drained version while a run of it is listed: somebody pinned it there', async () => {
    status = DRAINED;
    listed = ['pinned'];
    const handing = begin();
    await waitUntil('many looks', () => looks > 20);
    stopped.abort();
    await handing;
    assert.deepEqual(new Set(await bundles.list()), new Set(['old', 'new']));
    assert.equal(signals.length, 1 + Math.floor(Math.log2(looks)), 'told ever more seldom');
  });

  it('removes code that no worker was started for on the same word', async () => {
    earlier = [];
    await begin();
    assert.deepEqual(new Set(await bundles.list()), new Set(['old', 'new']));
    status = DRAINED;
    await begin();
    assert.deepEqual(await bundles.list(), ['new']);
  });
});
