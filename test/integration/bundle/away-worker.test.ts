import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationLog } from '../../../src/bundle/base/operation-log.js';
import { latestOnly, QueueWriter } from '../../../src/bundle/queue-writer.js';
import type { OperationLine, QueueBody } from '../../../src/domain/run/queue.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { BundleHere } from '../../support/bundle/running-bundle.js';
import { rpc } from '../../support/bundle/unix-http.js';
import { until } from '../../support/bundle/until.js';
import { ask } from '../../support/egress/clients.js';

const READ = { operation: 'read_issue', target: '#3', outcome: 'ok' } as const;

/** What the sidecar leaves to a worker that is away, as for an upgrade: more than 256 files would freeze the run. */
describe('a queue that nobody reads', () => {
  let run: RunDirectory;
  beforeEach(() => (run = new RunDirectory()));
  afterEach(() => {
    run.remove();
  });

  /** Takes what lies there, as the worker does. */
  const take = (from = run): QueueBody[] =>
    from.messages().map(({ name, body }) => {
      rmSync(join(from.out, name));
      return body;
    });

  it('has the latest of three hundred counts, and later the next one beside nothing', async () => {
    const write = latestOnly(new QueueWriter(run.out, Date.now));
    const tell = (at: number): Promise<string> =>
      write(`report${String(at).padStart(3, '0')}`, {
        ...{ kind: 'egress', slug: 's', turn: 1, process: 'abcdefgh', at, hosts: [], refusals: [] },
        ...{ lastSuccessAt: null, model: null },
      });
    for (let at = 1; at <= 300; at += 1) await tell(at);
    assert.deepEqual(
      take().map(({ at }) => at),
      [300],
    );
    await tell(301);
    await tell(302);
    assert.deepEqual(
      take().map(({ at }) => at),
      [302],
    );
  });

  it('has few files of three hundred calls, and loses none', async () => {
    const queue = new QueueWriter(run.out, Date.now);
    const log = new OperationLog({
      idPrefix: 'p',
      now: Date.now,
      onFault: (error) => assert.fail(String(error)),
      write: (lines) =>
        queue.write(`lines${String(lines[0]?.text).padStart(3, '0')}`, {
          ...{ kind: 'operations', slug: 's', turn: 1, lines, at: 1 },
        }),
      isWaiting: (message) => queue.isWaiting(message),
      flushAfterMs: 1,
    });
    for (let count = 1; count <= 300; count += 1) {
      log.add({ ...READ, text: String(count) });
      await sleep(5);
    }
    assert.ok(readdirSync(run.out).length < 10, String(readdirSync(run.out).length));
    const taken: OperationLine[] = [];
    await until('all the lines', () => {
      taken.push(...take().flatMap((body) => (body.kind === 'operations' ? body.lines : [])));
      return taken.length >= 300 ? true : undefined;
    });
    assert.deepEqual(
      taken.map(({ text }) => Number(text)),
      Array.from({ length: 300 }, (_, at) => at + 1),
    );
    assert.equal(await log.close(), true);
  });

  it('is a sidecar’s own, too', async () => {
    const bundle = new BundleHere();
    const kinds = (): string[] => bundle.run.messages().map(({ body }) => body.kind);
    const socket = join(bundle.run.root, 'sock', 'egress.sock');
    try {
      await bundle.start();
      for (const count of [1, 2]) {
        await rpc(bundle.run.socket, 'read_issue', { number: 12 });
        await ask(socket, `http://refused${String(count)}.example/`);
        if (count === 1) await until('a file of each kind', () => (kinds().length === 2 ? true : undefined));
      }
      await sleep(600);
      assert.deepEqual(kinds(), ['operations', 'egress'], 'the second call waits');
      await bundle.stop();
      const [calls, ...more] = take(bundle.run);
      assert.equal(calls?.kind, 'operations');
      assert.deepEqual(more.map(({ kind }) => kind).sort(), ['egress', 'operations']);
      const counts = more.find((body) => body.kind === 'egress');
      assert.deepEqual(
        counts?.refusals.map(({ host }) => host),
        ['refused1.example', 'refused2.example'],
      );
    } finally {
      await bundle.remove();
    }
  });
});
