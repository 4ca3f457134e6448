import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../src/activities/ports/inputs.js';
import { Relay } from '../../../src/activities/turn/relay.js';
import { TurnJournal } from '../../../src/activities/turn/turn-journal.js';
import { openPrWork } from '../../../src/activities/base/work-of-run.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { UnderWayFiles } from '../../../src/adapters/files/under-way.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import type { QueueAnswer } from '../../../src/domain/run/queue.js';
import { SetAsideError, type Work } from '../../../src/domain/run/under-way.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const SLUG = 'dev-alice-demo-1-abcde';
const OTHER = 'dev-alice-demo-2-abcde';
const WORK: Work = { slug: SLUG, key: 'settle-1', what: 'settling turn 1' };
const FOREVER = new Promise<never>(() => undefined);

describe('what is under way when a worker dies', () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-under-way-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  /** A worker that begins this and is never heard of again. */
  async function dies(...works: readonly Work[]): Promise<void> {
    const worker = await UnderWayFiles.open(home);
    for (const work of works)
      await new Promise<void>((begun) => {
        void worker.during(work, () => {
          begun();
          return FOREVER;
        });
      });
  }
  const marks = (): Promise<string[]> => readdir(join(home, 'under-way'));
  const readMarkOf = async ({ slug, key }: Work): Promise<{ readonly crashes: number }> =>
    JSON.parse(await readFile(join(home, 'under-way', `${slug}.${key}.json`), 'utf8')) as { crashes: number };

  it('is tried once more, and not a third time', async () => {
    await dies(WORK);
    const second = await UnderWayFiles.open(home);
    assert.equal(await second.whySetAside(WORK), null);
    await dies(WORK);
    const third = await UnderWayFiles.open(home);
    await assert.rejects(
      third.during(WORK, () => assert.fail('it was tried')),
      (error: unknown) => {
        assert.ok(error instanceof SetAsideError && !error.retryable);
        assert.equal(error.message, 'settling turn 1 was under way at two crashes of the worker');
        return true;
      },
    );
    assert.equal(await third.whySetAside(WORK), 'settling turn 1 was under way at two crashes of the worker');
    const next = { ...WORK, key: 'settle-2' };
    assert.equal(await third.during(next, () => Promise.resolve('well')), 'well');
  });

  it('is not held against it when it ended, failed, or was cut off in good order', async () => {
    for (let worker = 1; worker <= 3; worker += 1) {
      const underWay = await UnderWayFiles.open(home);
      await underWay.during(WORK, () => Promise.resolve());
      await assert.rejects(
        underWay.during(WORK, () => Promise.reject(new Error('no'))),
        /^Error: no$/,
      );
      assert.deepEqual(await marks(), []);
      void underWay.during(WORK, () => FOREVER);
      while ((await marks()).length === 0);
      await underWay.close();
    }
    const underWay = await UnderWayFiles.open(home);
    assert.equal(await underWay.during(WORK, () => Promise.resolve('well')), 'well');
  });

  it('is not forgiven for a try that failed or was cut off between two crashes', async () => {
    await dies(WORK);
    const second = await UnderWayFiles.open(home);
    await assert.rejects(
      second.during(WORK, () => Promise.reject(new Error('too late'))),
      /^Error: too late$/,
    );
    assert.equal(await second.whySetAside(WORK), null);
    const third = await UnderWayFiles.open(home);
    void third.during(WORK, () => FOREVER);
    while ((await readMarkOf(WORK)).crashes === 0);
    await third.close();
    await dies(WORK);
    const last = await UnderWayFiles.open(home);
    assert.notEqual(await last.whySetAside(WORK), null);
    await assert.rejects(
      last.during(WORK, () => assert.fail('it was tried')),
      SetAsideError,
    );
  });

  it('is forgiven for a try that ended well', async () => {
    await dies(WORK);
    const second = await UnderWayFiles.open(home);
    await second.during(WORK, () => Promise.resolve());
    assert.deepEqual(await marks(), []);
  });

  it('is tried a second time at once only when its mark is on the disk', async () => {
    const worker = await UnderWayFiles.open(home);
    const tries: Promise<boolean>[] = [];
    for (let n = 0; n < 40; n += 1) {
      tries.push(worker.during(WORK, async () => (await marks()).includes(`${SLUG}.${WORK.key}.json`)));
      await nextTick();
    }
    assert.ok((await Promise.all(tries)).every(Boolean));
    assert.deepEqual(await marks(), []);
  });

  it('is forgotten with its run: what killed workers left, but not what is under way now, nor another run’s', async () => {
    await dies(WORK, { ...WORK, slug: OTHER });
    const second = await UnderWayFiles.open(home);
    const now: Work = { slug: SLUG, key: 'look', what: 'a look' };
    await second.during(now, async () => {
      await second.forget(SLUG);
      assert.deepEqual((await marks()).sort(), [`${SLUG}.look.json`, `${OTHER}.${WORK.key}.json`].sort());
    });
  });

  it('may die again where it never got before', async () => {
    await dies(WORK);
    const second = await UnderWayFiles.open(home);
    await new Promise<void>((begun) => {
      void second.during(WORK, async () => {
        await second.reached(OTHER, 'pushed');
        await second.reached(SLUG, 'pushed');
        begun();
        return FOREVER;
      });
    });
    const third = await UnderWayFiles.open(home);
    assert.equal(await third.whySetAside(WORK), null);
    await dies(WORK);
    const fourth = await UnderWayFiles.open(home);
    assert.notEqual(await fourth.whySetAside(WORK), null);
  });

  it('is tried alone after a crash, so that the next one tells which of two it was', async () => {
    const beside: Work = { slug: OTHER, key: 'settle-1', what: 'settling turn 1' };
    await dies(WORK, beside);
    const second = await UnderWayFiles.open(home);
    let isBeside = false;
    await new Promise<void>((begun) => {
      void second.during(WORK, async () => {
        // Of the same run: it may be part of this.
        await second.during({ ...WORK, key: 'message-abcdefgh' }, () => Promise.resolve());
        begun();
        return FOREVER;
      });
    });
    void second.during(beside, () => {
      isBeside = true;
      return FOREVER;
    });
    // What no crash was seen of waits for nobody.
    await second.during({ ...beside, key: 'settle-2' }, () => Promise.resolve());
    assert.equal(isBeside, false);
    const third = await UnderWayFiles.open(home);
    assert.notEqual(await third.whySetAside(WORK), null);
    assert.equal(await third.during(beside, () => Promise.resolve('well')), 'well');
  });

  it('is not the reading beside it, unless that is under way at a crash more', async () => {
    const reading: Work = { ...WORK, key: 'read-1', what: 'reading', isBackground: true };
    await dies(reading, WORK);
    await dies(reading, WORK);
    const third = await UnderWayFiles.open(home);
    assert.notEqual(await third.whySetAside(WORK), null);
    assert.equal(await third.whySetAside(reading), null);
    await dies(reading);
    const fourth = await UnderWayFiles.open(home);
    assert.equal(await fourth.whySetAside(reading), 'reading was under way at two crashes of the worker');
    const alone: Work = { ...reading, slug: OTHER };
    await dies(alone);
    await dies(alone);
    const last = await UnderWayFiles.open(home);
    await assert.rejects(
      last.during(alone, () => assert.fail('it was tried')),
      SetAsideError,
    );
  });

  it('is forgotten after a month, and at once when it was only half written down', async () => {
    const file = join(home, 'under-way', 'old.json');
    await UnderWayFiles.open(home);
    await writeFile(file, '{}');
    await writeFile(join(home, 'under-way', '.writing-x.settle-1.json-0123456789ab'), '{');
    const then = Date.now() / 1000 - 31 * 86_400;
    await utimes(file, then, then);
    await UnderWayFiles.open(home);
    assert.deepEqual(await marks(), []);
  });

  it('is answered and put away by the relay when it is a message, and the turn is over', async () => {
    const files = runFilesIn(home, { canChown: false });
    const { queueOut } = await files.prepare(SLUG);
    const sidecar = new QueueWriter(queueOut, Date.now);
    const id = 'request1';
    await sidecar.write(id, { kind: 'open_pr', slug: SLUG, turn: 2, title: 'T', body: 'B', at: 1 });
    const [fileName = ''] = await readdir(queueOut);
    await dies(openPrWork({ slug: SLUG, requestId: id }));
    await dies(openPrWork({ slug: SLUG, requestId: id }));

    const answers: QueueAnswer[] = [];
    const queue = new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? 0 });
    queue.answer = (_slug, answer) => {
      answers.push(answer);
      return Promise.resolve();
    };
    const clock = { now: Date.now };
    const journal = await TurnJournal.open(files, SLUG, 2, clock);
    const ports: Partial<HostPorts> = {
      ...{ files, clock, queue, underWay: await UnderWayFiles.open(home) },
      log: { info: () => undefined, warn: () => undefined },
    };
    let ended = 0;
    const events = {
      onDone: () => undefined,
      onFlood: () => undefined,
      onOverBudget: () => undefined,
      onSetAside: () => (ended += 1),
    };
    const input: Partial<RunTurnInput> = { slug: SLUG, turn: 2 };
    const relay = new Relay(ports as HostPorts, input as RunTurnInput, journal, events);
    await relay.drain(new AbortController().signal);

    const reason = 'open_pr request1 was under way at two crashes of the worker';
    assert.deepEqual(answers, [{ requestId: id, result: { kind: 'refused', reason } }]);
    assert.equal(ended, 1);
    assert.equal((await files.readTurn(SLUG, 2))?.setAside, reason);
    assert.deepEqual(await readdir(queueOut), []);
    assert.deepEqual(await readdir(join(home, 'state', SLUG, 'archive/set-aside')), [fileName]);
  });
});
