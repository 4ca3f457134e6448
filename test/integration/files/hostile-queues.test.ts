import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HOSTILE_QUEUES } from '../../corpus/queue/index.js';
import { FIRST, lines, nameOf, putWhole, type QueueCase } from '../../corpus/queue/queue-case.js';
import { until } from '../../support/bundle/until.js';
import { RelayingWorker, type RelayedRun } from '../../support/files/relaying-worker.js';
import { PATIENCE } from '../../support/scale/patience.js';
import { Heart, HEARTBEAT_LIMIT_MS } from '../../support/heart/heart.js';

const ANSWER_MS = 10_000;
const END_MS = 10_000 * PATIENCE;
const HONEST = nameOf(999_999_999_999, 'honest00');
/** Said of the hundred sidecars. */
const TOO_MANY = 'egress totals of too many sidecars; not kept';
const isRoot = process.getuid?.() === 0;

describe('hostile queues', function () {
  this.timeout(ANSWER_MS + END_MS + HEARTBEAT_LIMIT_MS);
  let worker: RelayingWorker;
  let neighbour: RelayedRun;
  /** Messages of another run, on the same worker. */
  let heart: Heart;
  let elsewhere: string;
  let runs = 0;

  before(async () => {
    worker = await RelayingWorker.start();
    elsewhere = await mkdtemp(join(tmpdir(), 'bb-elsewhere-'));
    neighbour = await worker.begin('impl-alice-demo-1-aaaaa');
    const { slug, paths } = neighbour;
    let sent = 0;
    heart = new Heart(async () => {
      const name = nameOf((sent += 1));
      await putWhole(paths.queueOut, name, JSON.stringify(lines(slug, 'beat')));
      await until('the delivery', () => (existsSync(join(paths.queueOut, name)) ? undefined : true));
    });
  });
  after(async () => {
    await heart.stop().catch(() => undefined);
    await neighbour.endTurn();
    await worker.remove();
    await rm(elsewhere, { recursive: true });
  });

  const ended = async ({ slug, paths, endTurn }: RelayedRun): Promise<void> => {
    await endTurn();
    await worker.queue.archive(slug);
    // As the container does it that empties what a run leaves.
    await promisify(execFile)('find', [paths.queueOut, '-mindepth', '1', '-delete']);
    await worker.files.removeTransient(slug);
    assert.deepEqual((await readdir(paths.root)).sort(), ['archive', 'transcript', 'turns']);
  };

  const checked = ({ end }: QueueCase, { refused, isFlooded }: RelayedRun): void => {
    assert.equal(isFlooded, end === 'flood');
    if (end === 'flood') return;
    if (end === 'delivered') assert.deepEqual(refused, []);
    else assert.ok(refused.length > 0 && refused.every((reason) => end.test(reason)), refused.join('\n'));
  };

  for (const hostile of HOSTILE_QUEUES) {
    it(`${hostile.name}: dealt with, other runs go on, and the run ends`, async function () {
      if (hostile.asRoot === true && !isRoot) this.skip();
      const slug = `impl-alice-demo-2-${String((runs += 1)).padStart(5, '0')}`;
      const run = await worker.begin(slug);
      const { queueOut } = run.paths;
      const outside = join(elsewhere, slug);
      const content = JSON.stringify(lines(slug, 'of the host'));
      await writeFile(outside, content);
      await heart.during(async () => {
        const going = await hostile.put({ out: queueOut, outside, slug });
        const mayStay = going !== undefined || hostile.stays === true;
        await putWhole(queueOut, HONEST, JSON.stringify(lines(slug, 'honest')));
        // What comes and goes may not have been there yet when the queue was looked at.
        const isSeen = (): boolean => typeof hostile.end === 'string' || run.refused.length > 0;
        await until(
          'an end of it',
          async () =>
            run.isFlooded || (isDealtWith(await readdir(queueOut), mayStay) && isSeen()) ? true : undefined,
          ANSWER_MS,
        );
        if (hostile.stays === true) assert.ok((await readdir(queueOut)).includes(FIRST));
        await going?.();
        const began = performance.now();
        await ended(run);
        assert.ok(performance.now() - began < END_MS);
      });
      checked(hostile, run);
      const warnings = run.warnings.filter((text) => text !== TOO_MANY);
      assert.deepEqual([await readFile(outside, 'utf8'), warnings], [content, []]);
    });
  }

  it('no other run was ever silent for as long as a worker that is lost', async () => {
    await heart.stop();
    assert.ok(heart.longestGapMs < HEARTBEAT_LIMIT_MS, `${String(heart.longestGapMs)} ms`);
    assert.deepEqual([neighbour.refused, neighbour.warnings], [[], []]);
  });
});

/** Nothing is left; where that can't be, at least the honest message is gone. */
function isDealtWith(names: readonly string[], something: boolean): boolean {
  return something ? !names.includes(HONEST) : names.every((name) => name.startsWith('.writing-'));
}
