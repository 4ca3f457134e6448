import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { WorkflowHandle } from '@temporalio/client';
import { createLogger } from '../../src/config/log.js';
import { DEFAULT_POLICY } from '../../src/domain/run/run-policy.js';
import { stuckWork } from '../../src/adapters/temporal/stuck-work.js';
import { STATE_VERSION, stateQuery } from '../../src/workflows/messages.js';
import { comment, SUBJECT, wrote } from '../support/machine/world.js';
import { waitUntil } from '../support/stack/stack.js';
import { deployVersion, SOON_DRAINED, type Deployment } from '../support/temporal/deploy-version.js';
import { DONE } from '../support/temporal/issue-life.js';
import { localServer } from '../support/temporal/local-server.js';
import { nextVersionCode } from '../support/temporal/next-version.js';
import { ScriptedActivities } from '../support/temporal/scripted-activities.js';
import { askForRun, order, send } from '../support/temporal/send.js';
import { HOST, workflowBundle } from '../support/temporal/time-skipping.js';

const LONG_MS = 60_000;
/** Doctor takes a worker for gone two minutes after it last asked for work. */
const SOON_FORGOTTEN_MS = 100_000;

describe('an upgrade whose worker cannot run the version before', function () {
  this.timeout(120_000);
  const environment = localServer(...SOON_DRAINED);
  let home: string;
  let now: string;
  let fake: ScriptedActivities;
  let deployed: Deployment[];
  let logged: string;
  let number = 0;

  before(async () => {
    now = (await workflowBundle()).code;
  });
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-stranded-'));
    fake = new ScriptedActivities((turn) => ({
      run: async ({ workflowId, slug }) => {
        const handle = environment().client.workflow.getHandle(workflowId);
        await send(handle, { kind: 'turn_started', slug, turn, at: 0 });
        return DONE;
      },
    }));
    deployed = [];
    logged = '';
  });
  afterEach(async () => {
    await Promise.all(deployed.map((deployment) => deployment.stop()));
    await rm(home, { recursive: true });
  });

  async function deploy(code: string, stateVersion = STATE_VERSION): Promise<Deployment> {
    const destination = { write: (line: string) => (logged += line) };
    const { client, address } = environment();
    const deployment = await deployVersion({
      client,
      address,
      home,
      code,
      stateVersion,
      slots: 2,
      activities: fake.activities,
      policy: DEFAULT_POLICY,
      log: createLogger({ level: 'info', name: 'worker', secrets: () => new Set(), destination }),
    });
    deployed.push(deployment);
    return deployment;
  }

  async function frozen(): Promise<WorkflowHandle> {
    number += 1;
    const run = await askForRun(environment().client, { ...SUBJECT, number });
    await isFrozen(run, 1);
    return run;
  }

  function isFrozen(run: WorkflowHandle, turn: number): Promise<void> {
    const isSo = async (): Promise<boolean> => {
      const view = await run.query(stateQuery);
      return view.phase === 'frozen' && view.turn === turn;
    };
    return waitUntil(`${run.workflowId} to be frozen in turn ${String(turn)}`, isSo, LONG_MS);
  }

  async function versionOf(run: WorkflowHandle): Promise<unknown> {
    const { versioningInfo } = (await run.describe()).raw.workflowExecutionInfo ?? {};
    return versioningInfo?.versioningOverride ?? versioningInfo?.deploymentVersion?.buildId;
  }

  async function end(run: WorkflowHandle): Promise<void> {
    await order(run, { kind: 'destroy' });
    await run.result();
  }

  const fileOf = (buildId: string, kind: string): string => join(home, 'workflows', `${buildId}.${kind}`);
  /** As if another version of the SDK had bundled it. */
  const ofAnotherSdk = (buildId: string): Promise<void> => writeFile(fileOf(buildId, 'sdk'), '1.23.0');

  for (const [what, spoil, why] of [
    ['is for another SDK', (buildId) => ofAnotherSdk(buildId), /its code is for Temporal's SDK 1\.23\.0/],
    ['is cut off', (buildId) => truncate(fileOf(buildId, 'js'), 100_000), /its code cannot be loaded/],
    ['is gone', (buildId) => rm(fileOf(buildId, 'js')), /its code is not in this home/],
  ] satisfies [string, (buildId: string) => Promise<void>, RegExp][])
    it(`as its code ${what} moves a run whose history replays, and pins it again`, async () => {
      const before = await deploy(now);
      const run = await frozen();
      await before.stop();
      await spoil(before.buildId);
      await send(run, wrote(comment(1)));

      const after = await deploy(`// the same, by another SDK\n${now}`);
      assert.deepEqual(after.workers.earlier, []);
      await waitUntil('the run to be moved', async () => (await versionOf(run)) === after.buildId, LONG_MS);
      await isFrozen(run, 2);
      await send(run, wrote(comment(2)));
      await isFrozen(run, 3);
      assert.equal(await versionOf(run), after.buildId);
      await waitUntil('the version before to be over', () => after.workers.stranded.size === 0, LONG_MS);
      assert.match(logged, /it was moved to this one/);
      assert.match(logged, why);
      await end(run);
    });

  it('leaves a run alone whose history does not replay, names it, takes new ones, and can be undone', async () => {
    const before = await deploy(now);
    const run = await frozen();
    await before.stop();
    await ofAnotherSdk(before.buildId);

    const after = await deploy(await nextVersionCode(), STATE_VERSION + 1);
    await waitUntil('the log to name the run', () => logged.includes('a run stands still'), LONG_MS);
    const { workflowId, version, why } = JSON.parse(
      logged.split('\n').find((line) => line.includes('a run stands still')) ?? '',
    ) as Record<string, unknown>;
    assert.deepEqual([workflowId, version], [run.workflowId, before.buildId]);
    assert.match(String(why), /SDK 1\.23\.0, and this is /);
    await send(run, wrote(comment(1)));
    await end(await frozen());
    const { client } = environment();
    const isNamed = async (): Promise<boolean> => {
      const { standing } = await stuckWork(client, { host: HOST, now: Date.now() + SOON_FORGOTTEN_MS });
      return isDeepStrictEqual(standing, [{ workflowId: run.workflowId, version: before.buildId }]);
    };
    await waitUntil('doctor to name it', isNamed, LONG_MS);
    assert.equal(await versionOf(run), before.buildId);
    await after.stop();

    await ofAnotherSdk(after.buildId);
    await deploy(now);
    await isFrozen(run, 2);
    await end(run);
  });
});
