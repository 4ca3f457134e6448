import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { parseCodecKey, type CodecKey } from '../../src/adapters/temporal/codec/aes-codec.js';
import { clientDataConverter } from '../../src/adapters/temporal/codec/data-converter.js';
import { freePort } from '../support/ports/free-port.js';
import { bottleScript } from '../support/stack/bottle-script.js';
import { Life } from '../support/stack/life.js';
import { Stack, waitUntil } from '../support/stack/stack.js';
import { tearDown } from '../support/stack/tear-down.js';

const PLAIN = 'canary-before-the-codec';
const SECRET = 'canary-with-the-codec';
const TITLE = 'Canary-in-a-title';

/** A server that keeps its histories in a file, and an operator who turns encryption on. */
describe('what Temporal keeps, encrypted', function () {
  this.timeout(300_000);
  const keys: Record<'one' | 'two', string> = {
    one: randomBytes(32).toString('base64'),
    two: randomBytes(32).toString('hex'),
  };
  let stack: Stack;
  let client: Client | undefined;
  let codecPort: number;
  let metricsPort: number;

  before(async () => {
    [codecPort, metricsPort] = await Promise.all([freePort(), freePort()]);
    stack = await Stack.prepare({
      env: {
        TEMPORAL_CODEC_PORT: String(codecPort),
        WORKER_METRICS_LISTEN: `127.0.0.1:${String(metricsPort)}`,
      },
    });
    await mkdir(join(stack.home, 'bottles'));
    for (const [id, key] of Object.entries(keys)) {
      await stack.run(['secret', 'set', `temporal-codec-${id}`], key);
    }
  });
  after(() => tearDown(stack, client));

  const bottle = (canary: string): Promise<void> =>
    writeFile(join(stack.home, 'bottles/default.md'), `---\nenv:\n  CANARY: ${canary}\n---\n`);

  /** Restarts everything with these keys, and this test's client with it. */
  async function upWith(...ids: readonly (keyof typeof keys)[]): Promise<Client> {
    await client?.connection.close();
    await stack.stopUp();
    const setting = ids.length === 0 ? 'off' : ids.join(',');
    await writeFile(join(stack.home, 'config.yaml'), `TEMPORAL_CODEC_KEYS: ${setting}\n`, { mode: 0o600 });
    await stack.start();
    const codecKeys: CodecKey[] = ids.map((id) => parseCodecKey(id, keys[id]));
    const connection = await Connection.connect({ address: stack.temporalAddress });
    client = new Client({ connection, dataConverter: clientDataConverter(codecKeys) });
    return client;
  }

  /** The raw database, with what is not yet checked into it. */
  async function databaseHas(text: string): Promise<boolean> {
    const files = (await readdir(stack.home)).filter((name) => name.startsWith('temporal.db'));
    assert.ok(files.includes('temporal.db'), String(files));
    const contents = await Promise.all(files.map((name) => readFile(join(stack.home, name))));
    return contents.some((content) => content.includes(text));
  }

  async function status(slug: string): Promise<{ phase: string; stale: boolean } | undefined> {
    const stdout = await stack.run(['orchestrate', 'status', '--json']);
    const { runs } = JSON.parse(stdout) as { runs: { slug: string; phase: string; stale: boolean }[] };
    return runs.find((run) => run.slug === slug);
  }

  const work = (name: string): string =>
    bottleScript(`write ${name} hello`, `commit ${name}`, 'done success made');

  it('is readable without the codec and not with it; runs go on over the change', async () => {
    await bottle(PLAIN);
    const early = await Life.trigger(stack, await upWith(), 'Before', work('before.md'));
    const { slug: earlySlug } = await early.frozen(1, 'done');
    assert.equal(await databaseHas(PLAIN), true);

    await bottle(SECRET);
    const coded = await upWith('one');
    const later = await Life.trigger(stack, coded, TITLE, work('later.md'));
    const { slug } = await later.frozen(1, 'done');
    for (const text of [SECRET, TITLE]) assert.equal(await databaseHas(text), false, text);
    // What the run before wrote is plain, and is read; what it writes now is not.
    await stack.run(['orchestrate', 'resume', '--slug', earlySlug, '--prompt', work('again.md'), '--wait']);
    for (const text of [SECRET, TITLE]) assert.equal(await databaseHas(text), false, text);
    for (const one of [slug, earlySlug])
      assert.deepEqual([(await status(one))?.phase, (await status(one))?.stale], ['frozen', false]);

    await stack.run(['logs', slug]);
  });

  it('is shown by the codec server to Temporal’s page', async () => {
    const server = stack.service(['temporal', 'codec-server']);
    try {
      await waitUntil('the codec server', () =>
        stack.output.includes(`codec server at http://127.0.0.1:${String(codecPort)}`),
      );
      const origin = new URL(stack.uiUrl).origin;
      const settings = (await (await fetch(`${stack.uiUrl}/api/v1/settings`)).json()) as {
        Codec: { Endpoint: string };
      };
      assert.equal(
        settings.Codec.Endpoint,
        `http://127.0.0.1:${String(codecPort)}`,
        'the page knows where it is',
      );
      const list = `${stack.uiUrl}/api/v1/namespaces/default/workflows`;
      const { executions } = (await (await fetch(list)).json()) as {
        executions: { execution: { workflowId: string; runId: string } }[];
      };
      const shown: string[] = [];
      for (const { execution } of executions.filter(({ execution: { workflowId } }) =>
        workflowId.startsWith('gitea:'),
      )) {
        const path = `${list}/${encodeURIComponent(execution.workflowId)}/history?execution.runId=${execution.runId}`;
        const { history } = (await (await fetch(path)).json()) as { history: { events: unknown[] } };
        for (const payloads of payloadsIn(history)) {
          const response = await fetch(`${settings.Codec.Endpoint}/decode`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-namespace': 'default', origin },
            body: JSON.stringify({ payloads }),
          });
          assert.equal(response.status, 200);
          assert.equal(response.headers.get('access-control-allow-origin'), origin);
          const decoded = (await response.json()) as { payloads: { data?: string }[] };
          shown.push(...decoded.payloads.map(({ data }) => Buffer.from(data ?? '', 'base64').toString()));
        }
      }
      for (const text of [PLAIN, SECRET])
        assert.ok(
          shown.some((one) => one.includes(text)),
          text,
        );
    } finally {
      server.kill('SIGTERM');
      const [code] = (await once(server, 'exit')) as [number | null];
      assert.equal(code, 0);
    }
  });

  it('is counted by the worker for Prometheus, while doctor finds nothing stuck', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${String(metricsPort)}/metrics`)).text();
    for (const name of [
      'temporal_workflow_task_schedule_to_start_latency_seconds_bucket',
      'temporal_activity_schedule_to_start_latency_seconds_bucket',
      'temporal_worker_task_slots_available',
    ])
      assert.match(metrics, new RegExp(`^${name}\\{`, 'm'));
    assert.match(
      (await stack.cli(['doctor'])).stdout,
      /^ok +stuck work +\d+ open workflows looked at, none is stuck$/m,
    );
  });

  it('names the key that a command does not have', async () => {
    const asker = stack.service(['orchestrate', 'status'], { TEMPORAL_CODEC_KEYS: 'two' });
    let text = '';
    asker.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const [code] = (await once(asker, 'close')) as [number | null];
    assert.notEqual(code, 0);
    assert.match(text, /the key one, which TEMPORAL_CODEC_KEYS does not name/);
  });
});

/** Every list of payloads, wherever in an event it stands. */
function payloadsIn(value: unknown): unknown[][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'payloads' in value && Array.isArray(value.payloads) ? [value.payloads as unknown[]] : [];
  return [...own, ...Object.values(value).flatMap(payloadsIn)];
}
