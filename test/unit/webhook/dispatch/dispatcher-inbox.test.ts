import assert from 'node:assert/strict';
import type { Delivery, DeliveryEnd, Inbox } from '../../../../src/domain/forge/delivery.js';
import { startDispatcher, type DispatcherDeps } from '../../../../src/webhook/dispatch/dispatcher.js';
import { allOf, oneForAll } from '../../../../src/webhook/dispatch/outcome.js';
import { storedHint } from '../../../../src/webhook/events/hint.js';
import { until } from '../../../support/bundle/until.js';
import { SUBJECT } from '../../../support/machine/world.js';

const NOW = 50_000;
const HINT = storedHint({
  ...{ subject: SUBJECT, repoId: 7, isPull: false, headRef: null, forkHead: null, sender: null },
  ...{ cause: { kind: 'comment', commentId: 5 }, likelyAssignees: [] },
});

function delivery(seq: number, change: Partial<Delivery> = {}): Delivery {
  const about = { bodyHash: String(seq), eventType: 'issue_comment', orderKey: 'k', hint: HINT };
  return { seq, ...about, receivedAt: NOW - 700, traceparent: null, attempts: 0, ...change };
}

describe('the dispatcher and its inbox', () => {
  let open: Delivery[];
  let asked: string[];
  let ends: DeliveryEnd[];
  let errors: string[];
  /** Throws what is wrong with a call of the inbox, if anything. */
  let fault: (call: string) => void;

  beforeEach(() => {
    [open, asked, ends, errors, fault] = [[], [], [], [], () => undefined];
  });

  const call = (name: string, detail = ''): void => {
    asked.push(`${name}${detail}`);
    fault(name);
  };
  const inbox = {
    due: (now: number) => {
      assert.equal(now, NOW);
      call('due');
      return open.slice(0, 1);
    },
    waiting: (key: string, limit: number) => {
      call('waiting', ` ${key} ${String(limit)}`);
      return open.slice(0, limit);
    },
    complete: (done: readonly DeliveryEnd[]) => {
      call('complete');
      ends.push(...done);
      open = open.filter(({ seq }) => !done.some((end) => end.seq === seq));
    },
    holdUntil: (seq: number, until: number) => {
      call('holdUntil', ` ${String(seq)} ${String(until)}`);
      open = [];
    },
    retryAt: (seq: number, at: number, error: string) => {
      call('retryAt', ` ${String(seq)} ${String(at)} ${error}`);
      open = [];
    },
  } as unknown as Inbox;

  const start = (deps: Partial<DispatcherDeps> = {}) =>
    startDispatcher({
      inbox,
      now: () => NOW,
      pollMs: 2,
      handle: ({ deliveries }) => Promise.resolve(allOf(deliveries.length, 'signalled')),
      onError: (message, error) => errors.push(`${message}: ${String(error)}`),
      ...deps,
    });
  const seen = (isSo: () => boolean): Promise<true> =>
    until('what is waited for', () => (isSo() ? true : undefined));
  /** Dispatches until that is so. */
  async function dispatched(isSo: () => boolean, deps: Partial<DispatcherDeps> = {}): Promise<void> {
    const dispatcher = start(deps);
    await seen(isSo);
    await dispatcher.stop();
  }
  const times = (name: string): number => asked.filter((one) => one.startsWith(name)).length;

  it('looks again by itself when the inbox could not be read, and says so', async () => {
    open = [delivery(1)];
    fault = (name) => {
      if (name === 'due' && times('due') === 1) throw new Error('locked');
    };
    await dispatched(() => ends.length === 1);
    assert.deepEqual(errors, ['the inbox cannot be read: Error: locked']);
  });

  it('keeps deliveries whose end could not be written, which come again', async () => {
    open = [delivery(1)];
    let handled = 0;
    fault = (name) => {
      if (name === 'complete' && times('complete') === 1) throw new Error('disk full');
    };
    const handle: DispatcherDeps['handle'] = () => {
      handled += 1;
      return Promise.resolve(allOf(1, 'signalled'));
    };
    const began = Date.now();
    await dispatched(() => ends.length === 1, { handle });
    assert.equal(handled, 2);
    assert.ok(Date.now() - began >= 990, 'and not at once: the disk stays full for a while');
    assert.deepEqual(errors, ['the inbox cannot be written: Error: disk full']);
  });

  it('says of each delivery what became of it, and how long after it was accepted', async () => {
    open = [delivery(1), delivery(2, { receivedAt: NOW - 10 }), delivery(3)];
    const outcomes: unknown[] = [];
    await dispatched(() => ends.length >= 2, {
      // The third has to wait for another attempt.
      handle: () => Promise.resolve(oneForAll(2, 'signalled', 'key')),
      onOutcome: (outcome, ms, { seq }) => outcomes.push([outcome, ms, seq]),
      concurrency: 1,
    });
    assert.deepEqual(ends.slice(0, 2), [
      { seq: 1, outcome: 'signalled', detail: 'key' },
      { seq: 2, outcome: 'covered', detail: '' },
    ]);
    assert.deepEqual(outcomes.slice(0, 2), [
      ['signalled', 700, 1],
      ['covered', 10, 2],
    ]);
    assert.ok(asked.includes('waiting k 200'));
  });

  it('holds a subject until the time that it is told, as no failure', async () => {
    open = [delivery(4)];
    const outcomes: string[] = [];
    await dispatched(() => times('holdUntil') > 0, {
      handle: () => Promise.resolve({ kind: 'held', until: NOW + 5 }),
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    assert.ok(asked.includes(`holdUntil 4 ${String(NOW + 5)}`));
    assert.deepEqual([outcomes, errors, ends], [[], [], []]);
  });

  it('tries one that has failed alone, and says which one and which attempt it is', async () => {
    open = [delivery(5, { attempts: 2 }), delivery(6)];
    const outcomes: unknown[] = [];
    await dispatched(() => times('retryAt') > 0, {
      handle: ({ deliveries }) => {
        assert.deepEqual(
          deliveries.map(({ seq }) => seq),
          [5],
        );
        return Promise.reject(new Error('away'));
      },
      onOutcome: (outcome, ms) => outcomes.push([outcome, ms]),
    });
    assert.ok(asked.includes('waiting k 200'));
    assert.ok(asked.includes(`retryAt 5 ${String(NOW + 4_000)} away`), asked.join());
    assert.deepEqual(errors, ['delivery 5 for k, attempt 3: Error: away']);
    assert.deepEqual(outcomes, [['retry', 700]]);
  });

  it('looks no more once it is stopped, and has waited for what goes on beside', async () => {
    let isDrained = false;
    const dispatcher = start({
      drained: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        isDrained = true;
      },
    });
    await dispatcher.stop();
    assert.ok(isDrained);
    const looked = times('due');
    open = [delivery(1)];
    dispatcher.wake();
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual([times('due'), errors], [looked, []]);
  });

  it('does not wait for ever when it is stopped, and says that something was left', async () => {
    open = [delivery(1)];
    const dispatcher = start({ handle: () => new Promise(() => undefined), attemptMs: 500 });
    await seen(() => times('waiting') > 0);
    await dispatcher.stop(5);
    assert.match(errors.join(), /^stopped before everything under way was done: .*not done within 5 ms$/);
    // Its attempt ends by itself.
    await seen(() => times('retryAt') > 0);
  });

  it('looks at once when it is woken, and once for many wakes', async () => {
    const dispatcher = start({ pollMs: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(times('due'), 1);
    open = [delivery(1)];
    for (let wakes = 0; wakes < 5; wakes += 1) dispatcher.wake();
    await seen(() => ends.length > 0);
    // One for the wakes, and one when the key is free again.
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(times('due'), 3);
    await dispatcher.stop();
  });
});
