import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationLog, type OperationLogOptions } from '../../../../src/bundle/base/operation-log.js';
import type { OperationLine } from '../../../../src/domain/run/queue.js';
import { until } from '../../../support/bundle/until.js';

const READ = { operation: 'read_issue', target: '#3', outcome: 'ok', text: 'read issue #3' } as const;

describe('the log of what an agent calls', () => {
  let written: (readonly OperationLine[])[];
  let faults: unknown[];
  let now: number;
  /** What writing fails with. */
  let fault: Error | undefined;
  /** The worker is away. */
  let isUnread: boolean;

  beforeEach(() => {
    [written, faults, now, fault, isUnread] = [[], [], 1_000, undefined, false];
  });

  const logOf = (options: Partial<OperationLogOptions> = {}): OperationLog =>
    new OperationLog({
      idPrefix: 'p',
      now: () => now,
      onFault: (error) => faults.push(error),
      write: (lines) => {
        if (fault !== undefined) return Promise.reject(fault);
        written.push(lines);
        return Promise.resolve('message');
      },
      isWaiting: () => isUnread,
      flushAfterMs: 60_000,
      ...options,
    });
  const lines = (): readonly OperationLine[] => written.flat();
  const texts = (): readonly string[] => lines().map(({ text }) => text);
  function add(log: OperationLog, count: number, first = 1): void {
    for (let each = first; each < first + count; each += 1) log.add({ ...READ, text: String(each) });
  }

  it('has of each call what was done, when, and an id of its own', async () => {
    const log = logOf();
    log.add(READ);
    now = 2_000;
    log.add({ ...READ, target: '#4', ms: 7 });
    await log.flush();
    assert.deepEqual(written, [
      [
        { ...READ, id: 'p-1', at: 1_000 },
        { ...READ, target: '#4', ms: 7, id: 'p-2', at: 2_000 },
      ],
    ]);
    await log.flush();
    assert.equal(written.length, 1, 'nothing more is written while nothing is added');
  });

  it('keeps a text to one line of bounded length', async () => {
    const log = logOf();
    log.add({ ...READ, text: `a\nb${'x'.repeat(1_000)}` });
    await log.flush();
    assert.match(texts()[0] ?? '', /^a b/);
    assert.ok((texts()[0] ?? '').length <= 301);
  });

  it('writes by itself after a while, all that came meanwhile at once, and later what comes then', async () => {
    const log = logOf({ flushAfterMs: 1 });
    add(log, 2);
    await until('the lines', () => written[0]);
    add(log, 1, 3);
    await until('the next line', () => written[1]);
    assert.deepEqual(texts(), ['1', '2', '3']);
  });

  it('writes at once when there are fifty lines, or as many as it is told', async () => {
    const log = logOf();
    add(log, 49);
    await Promise.resolve();
    assert.equal(written.length, 0);
    add(log, 1, 50);
    await until('fifty lines', () => written[0]);
    assert.equal(written[0]?.length, 50);
    const small = logOf({ flushAtLines: 2 });
    add(small, 2);
    await until('two lines', () => written[1]);
  });

  it('writes no more than fifty lines as one message', async () => {
    const log = logOf({ flushAtLines: 1_000 });
    add(log, 120);
    await log.flush();
    assert.deepEqual(
      written.map(({ length }) => length),
      [50, 50, 20],
    );
    assert.deepEqual(texts().slice(49, 51), ['50', '51']);
  });

  it('keeps lines that could not be written, in order, says so, and tries again by itself', async () => {
    const log = logOf({ flushAfterMs: 1 });
    fault = new Error('disk full');
    add(log, 2);
    await until('a failure', () => faults[0]);
    assert.deepEqual(faults[0], fault);
    add(log, 1, 3);
    fault = undefined;
    await until('the lines', () => (lines().length === 3 ? true : undefined));
    assert.deepEqual(texts(), ['1', '2', '3']);
    assert.deepEqual(
      lines().map(({ id }) => id),
      ['p-1', 'p-2', 'p-3'],
    );
  });

  it('says at its end whether something is left behind', async () => {
    const log = logOf();
    add(log, 1);
    assert.equal(await log.close(), true);
    fault = new Error('disk full');
    add(log, 1);
    assert.equal(await log.close(), false);
  });

  it('drops the oldest of more than a thousand lines that cannot be written, and says how many', async () => {
    const log = logOf({ flushAtLines: 10_000 });
    add(log, 1_002);
    await log.flush();
    assert.deepEqual([lines().length, texts()[0], texts().at(-1)], [1_000, '3', '1002']);
    await log.flush();
    const { operation, outcome, text, target } = lines().at(-1) ?? assert.fail();
    assert.deepEqual([operation, outcome, target], ['operation_log', 'failed', '']);
    assert.equal(text, 'lost 2 lines of this log: the queue could not be written');
    await log.flush();
    assert.equal(lines().length, 1_001, 'it says so once');
  });

  it('keeps the newest thousand of what failed and of what came meanwhile', async () => {
    let fail: () => void = () => undefined;
    const log = logOf({
      flushAtLines: 10_000,
      write: (batch) =>
        fault === undefined
          ? Promise.resolve(String(written.push(batch)))
          : new Promise((_resolve, reject) => (fail = () => reject(new Error('disk full')))),
    });
    fault = new Error('disk full');
    add(log, 600);
    const flushed = log.flush();
    await until('the beginning of a write', () => (fail.name === 'fail' ? true : undefined));
    add(log, 600, 601);
    fail();
    await flushed;
    fault = undefined;
    await log.flush();
    assert.deepEqual([lines().length, texts()[0], texts().at(-1)], [1_000, '201', '1200']);
    await log.flush();
    assert.match(texts().at(-1) ?? '', /^lost 200 lines/);
  });

  it('waits with what can wait while the last message is unread, until there are a thousand lines', async () => {
    const log = logOf({ flushAfterMs: 1 });
    isUnread = true;
    add(log, 1);
    await until('the first line', () => written[0]);
    add(log, 998, 2);
    await sleep(20);
    assert.equal(written.length, 1);
    add(log, 2, 1_000);
    await until('a thousand lines more', () => (lines().length === 1_001 ? true : undefined));
    add(log, 1, 1_002);
    await log.flush();
    assert.equal(texts().at(-1), '1002', 'what is asked for is written all the same');
    add(log, 1, 1_003);
    await sleep(20);
    assert.equal(lines().length, 1_002);
    isUnread = false;
    await until('the last line', () => (lines().length === 1_003 ? true : undefined));
  });

  describe('of calls over the rate limit', () => {
    it('has the first at once, then their number at most once a minute', async () => {
      const log = logOf();
      log.countLimited();
      now += 59_999;
      log.countLimited();
      log.countLimited();
      await log.flush();
      assert.deepEqual(texts(), ['refused 1 call: over the rate limit']);
      now += 1;
      log.countLimited();
      await log.flush();
      const { operation, outcome, text, target } = lines().at(-1) ?? assert.fail();
      assert.deepEqual([operation, outcome, target], ['rate_limit', 'refused', '']);
      assert.equal(text, 'refused 3 calls: over the rate limit');
    });

    it('has at its end those that were not told yet, and no line where there are none', async () => {
      const log = logOf();
      log.countLimited();
      log.countLimited();
      await log.close();
      assert.deepEqual(texts(), [
        'refused 1 call: over the rate limit',
        'refused 1 call: over the rate limit',
      ]);
      await log.close();
      assert.equal(lines().length, 2);
    });
  });
});
