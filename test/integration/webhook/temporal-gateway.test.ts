import { DEFAULT_POLICY } from '../../../src/domain/run/run-policy.js';
import assert from 'node:assert/strict';
import { Client, Connection } from '@temporalio/client';
import type { TriggerEvent } from '../../../src/webhook/dispatch/gateway.js';
import { temporalGateway } from '../../../src/webhook/dispatch/temporal-gateway.js';
import { ISSUE_WORKFLOW, TASK_QUEUE } from '../../../src/workflows/messages.js';
import { freePort } from '../../support/ports/free-port.js';
import { localServer } from '../../support/temporal/local-server.js';

const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', number: 12 } as const;
const id = 'gitea:alice/demo#12';
const observed: TriggerEvent = {
  kind: 'observed',
  readAt: 1,
  open: true,
  closedAt: null,
  triggered: true,
  trigger: { agent: 'coder', bottles: [], actor: 'alice', actId: 0, textHash: '', pull: null, actAt: 1 },
  prs: [],
  place: { repoId: 7, owner: 'alice', repo: 'demo' },
};
const about = {
  title: 'Fix `rm -rf` <script>\u202e\nnow',
  url: 'https://forge.example/alice/demo/issues/12',
};

describe('the gateway to Temporal, with a real server', function () {
  this.timeout(60_000);
  const server = localServer();
  let client: Client;

  before(() => {
    ({ client } = server());
  });

  it('says that there is no workflow to signal, before, and after one has ended', async () => {
    const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
    assert.equal(await gateway.reachable(), true);
    assert.equal(await gateway.signal(subject, observed), 'no_workflow');
    await gateway.signalWithStart(subject, observed, about);
    assert.equal(await gateway.signal(subject, observed), 'delivered');
    await client.workflow.getHandle(id).terminate();
    assert.equal(await gateway.signal(subject, observed), 'no_workflow');
  });

  it('starts one workflow, signals the one that runs, and a new one under the same id when that has ended', async () => {
    const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
    await Promise.all([
      gateway.signalWithStart(subject, observed, about),
      gateway.signalWithStart(subject, observed, about),
    ]);
    await gateway.signal(subject, observed);
    const handle = client.workflow.getHandle(id);
    const first = await handle.describe();
    assert.deepEqual(
      [first.type, first.taskQueue, first.status.name],
      [ISSUE_WORKFLOW, TASK_QUEUE, 'RUNNING'],
    );
    const { events } = await handle.fetchHistory();
    const signals = (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes ?? false);
    assert.equal(signals.length, 3);
    await handle.terminate();
    await gateway.signalWithStart(subject, observed, about);
    const second = await handle.describe();
    assert.notEqual(second.runId, first.runId);
    await handle.terminate();
  });

  it('makes the run findable and gives it a summary in which no text of an issue is active', async () => {
    const gateway = temporalGateway(client, { policy: DEFAULT_POLICY });
    await gateway.signalWithStart(subject, observed, {
      ...about,
      title: `${about.title} ${'é'.repeat(300)}`,
    });
    const description = await client.workflow.getHandle(id).describe();
    const summary = (await description.staticSummary()) ?? '';
    assert.match(summary, /^alice\/demo#12 Fix rm -rf script now é+$/);
    assert.ok(Buffer.byteLength(summary) <= 200);
    assert.equal(await description.staticDetails(), about.url);
    const attributes = Object.fromEntries(
      description.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
    );
    const { BottleSlug, ...others } = attributes;
    assert.match(String(BottleSlug), /^coder-alice-demo-12-[a-z0-9]{5}$/);
    assert.deepEqual(others, {
      ForgeRepo: 'alice/demo',
      ForgeIssue: 12,
      BottleAgent: 'coder',
      BottlePhase: 'queued',
      BottleReason: 'none',
    });
    await client.workflow.getHandle(id).terminate();
  });

  it('throws when Temporal is away, and says that it is', async () => {
    const away = Connection.lazy({ address: `127.0.0.1:${String(await freePort())}` });
    const gateway = temporalGateway(new Client({ connection: away }), {
      policy: DEFAULT_POLICY,
      callMs: 500,
    });
    assert.equal(await gateway.reachable(), false);
    await assert.rejects(gateway.signal(subject, observed));
    await away.close();
  });
});
