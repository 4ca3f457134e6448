import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import {
  ForgeHttpError,
  InvalidInputError,
  UnusableSecretError,
} from '../../../../src/domain/base/errors.js';
import { UnexpectedShapeError } from '../../../../src/adapters/gitea/decode.js';
import { openInbox } from '../../../../src/adapters/sqlite/inbox/open-inbox.js';
import { startDispatcher } from '../../../../src/webhook/dispatch/dispatcher.js';
import { allOf } from '../../../../src/webhook/dispatch/outcome.js';
import { dispatchWorld } from '../../../support/webhook/dispatch-world.js';
import type { DispatchWorld } from '../../../support/webhook/dispatch-world.js';
import { ALICE } from '../../../support/webhook/fake-forge.js';
import { commentEvent, issueEvent } from '../../../support/webhook/payloads.js';
import { useNewPaths } from '../../../support/webhook/temp-dir.js';
import { until } from '../../../support/bundle/until.js';

const seen = (what: string, isSo: () => boolean): Promise<true> =>
  until(what, () => (isSo() ? true : undefined));
const ID = (number: number): string => `gitea:alice/demo#${String(number)}`;

describe('the dispatcher', () => {
  const newPath = useNewPaths();
  let world: DispatchWorld;
  const directory = (): string => {
    const name = newPath();
    mkdirSync(name);
    return name;
  };

  beforeEach(async () => {
    world = await dispatchWorld(directory());
  });
  afterEach(async () => {
    await world.close();
  });

  async function comments(number: number, ids: readonly number[]): Promise<void> {
    world.gateway.running.add(ID(number));
    for (const id of ids) {
      world.forge.putComment(id, ALICE, `text ${String(id)}`);
      await world.deliver('issue_comment', commentEvent({ number, commentId: id }));
    }
  }
  const sentIds = (number: number): number[] =>
    world.gateway.sent.flatMap(({ id, event }) =>
      id === ID(number) && event.kind === 'references' ? event.references.map((one) => one.id) : [],
    );

  for (const [who, break_] of [
    ['the forge', (at: DispatchWorld, fault: () => void) => (at.forge.fault = fault)],
    ['Temporal', (at: DispatchWorld, fault: () => void) => (at.gateway.fault = fault)],
  ] as const) {
    it(`keeps everything, in order, while ${who} is away`, async () => {
      let failures = 5;
      break_(world, () => {
        if (failures > 0) {
          failures -= 1;
          throw new ForgeHttpError(0, 'GET', '/', 'away');
        }
      });
      await comments(12, [1, 2, 3]);
      await world.settle();
      assert.deepEqual(sentIds(12), [1, 2, 3]);
      assert.ok(world.outcomes.filter(({ outcome }) => outcome === 'retry').length >= 2);
    });
  }

  it('does not let one subject that cannot be read hold up another', async () => {
    world.forge.fault = (call) => {
      if (call === 'comment 1') throw new ForgeHttpError(500, 'GET', '/', 'broken');
    };
    await comments(12, [1, 2]);
    await comments(13, [3]);
    const dispatcher = world.start();
    await seen('both subjects', () => sentIds(13).length > 0 && world.outcomes.length >= 2);
    await dispatcher.stop();
    assert.deepEqual([sentIds(12), sentIds(13)], [[], [3]]);
    assert.equal(world.inbox.stats().open, 2);
  });

  it('waits twice as long after each failure, a minute at most', async () => {
    world.forge.fault = () => {
      throw new ForgeHttpError(403, 'GET', '/', 'token revoked');
    };
    await comments(12, [1]);
    const dispatcher = world.start();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await seen('an attempt', () => world.outcomes.length >= attempt);
      const after = (ms: number): boolean => world.inbox.due(world.now() + ms, 1).length > 0;
      const wait = [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000].find((ms) => after(ms)) ?? Infinity;
      waits.push(wait);
      world.skip(wait);
    }
    await dispatcher.stop();
    assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('goes on after a delivery that no attempt can cure', async () => {
    world.gateway.running.add(ID(12));
    await world.inbox.accept({
      bodyHash: 'aa',
      eventType: 'issues',
      receivedAt: 0,
      orderKey: ID(12),
      hint: '{"old":1}',
    });
    await comments(12, [1]);
    await world.settle();
    assert.deepEqual(
      world.outcomes.map(({ outcome }) => outcome),
      ['malformed', 'signalled'],
    );
  });

  it('gives up at once a delivery that asks for what cannot be, and serves the next', async () => {
    world.forge.fault = (call) => {
      if (call === 'comment 1') throw new InvalidInputError('no such place');
    };
    await comments(12, [1, 2]);
    await world.settle();
    assert.deepEqual(
      world.outcomes.map(({ outcome }) => outcome),
      ['failed', 'signalled'],
    );
    assert.deepEqual(sentIds(12), [2]);
  });

  it('keeps a delivery for as long as a secret cannot be read', async () => {
    let broken = 30;
    world.forge.fault = () => {
      if ((broken -= 1) > 0) throw new UnusableSecretError('forge-token is missing');
    };
    await comments(12, [1]);
    await world.settle();
    const outcomes = world.outcomes.map(({ outcome }) => outcome);
    assert.deepEqual(new Set(outcomes.slice(0, -1)), new Set(['retry']));
    assert.ok(outcomes.length > 20);
    assert.deepEqual([outcomes.at(-1), sentIds(12)], ['signalled', [1]]);
  });

  for (const [what, fault] of [
    ['a fault of ours', new TypeError('a bug')],
    ['an issue that is too large to be read', new ForgeHttpError(413, 'GET', '/', 'too large')],
    ['what the forge refuses for itself', new ForgeHttpError(422, 'GET', '/', 'no')],
    ['an answer of another shape', new UnexpectedShapeError('state')],
  ] as const)
    it(`gives up a delivery that meets ${what} again and again, says why, and serves the next`, async () => {
      world.forge.fault = (call) => {
        if (call === 'comment 1') throw fault;
      };
      await comments(12, [1, 2]);
      await world.settle();
      const outcomes = world.outcomes.map(({ outcome }) => outcome);
      assert.deepEqual(outcomes, [...Array<string>(19).fill('retry'), 'failed', 'signalled']);
      assert.deepEqual(sentIds(12), [2]);
      const given = world.inbox.decisions(10).at(-1);
      assert.deepEqual([given?.outcome, given?.detail], ['failed', fault.message]);
    });

  it('loses nothing to a forge that was away for long and answers rubbish while it comes back', async () => {
    let calls = 0;
    world.forge.fault = () => {
      calls += 1;
      if (calls <= 30) throw new ForgeHttpError(503, 'GET', '/', 'away');
      if (calls <= 35) throw new ForgeHttpError(200, 'GET', '/', 'not JSON');
    };
    await comments(12, [1]);
    await world.settle();
    assert.deepEqual([world.outcomes.at(-1)?.outcome, sentIds(12)], ['signalled', [1]]);
  });

  for (const status of [401, 403, 404, 302])
    it(`keeps a delivery for as long as the forge answers ${String(status)}, which the operator mends`, async () => {
      let broken = 30;
      world.gateway.fault = () => {
        if ((broken -= 1) > 0) throw new ForgeHttpError(status, 'GET', '/', 'no');
      };
      await comments(12, [1]);
      await world.settle();
      assert.deepEqual([world.outcomes.at(-1)?.outcome, sentIds(12)], ['signalled', [1]]);
    });

  it('works on several keys at once, within its limit, and one delivery of a key at a time', async () => {
    const inbox = openInbox(`${directory()}/inbox.db`);
    for (let index = 0; index < 40; index += 1) {
      const orderKey = `key-${String(index % 10)}`;
      await inbox.accept({
        bodyHash: Buffer.from([index]).toString('hex'),
        eventType: 'x',
        receivedAt: 0,
        orderKey,
        hint: '',
      });
    }
    const active = new Set<string>();
    let most = 0;
    const dispatcher = startDispatcher({
      inbox,
      concurrency: 4,
      now: Date.now,
      onError: (message, error) => {
        assert.fail(`${message} ${String(error)}`);
      },
      handle: async ({ deliveries }) => {
        const orderKey = deliveries[0]?.orderKey ?? '';
        assert.ok(!active.has(orderKey));
        active.add(orderKey);
        most = Math.max(most, active.size);
        await new Promise((resolve) => setTimeout(resolve, 2));
        active.delete(orderKey);
        return allOf(deliveries.length, 'signalled');
      },
    });
    await seen('an empty inbox', () => inbox.stats().open === 0);
    await dispatcher.stop();
    inbox.close();
    assert.equal(most, 4);
  });

  it('waits on stop for what it has begun, takes nothing new, and leaves the rest in the inbox', async () => {
    let release: () => void = () => undefined;
    const begun = new Promise<void>((started) => {
      world.gateway.fault = () => undefined;
      const gate = new Promise<void>((resolve) => (release = resolve));
      const original = world.gateway.signal.bind(world.gateway);
      world.gateway.signal = async (...call) => {
        started();
        await gate;
        return original(...call);
      };
    });
    await comments(12, [1]);
    await world.deliver('issue_label', issueEvent({ salt: 'between' }));
    await comments(12, [2]);
    world.forge.putIssue(12);
    const dispatcher = world.start();
    await begun;
    const stopping = dispatcher.stop();
    release();
    await stopping;
    assert.deepEqual(sentIds(12), [1]);
    assert.equal(world.inbox.stats().open, 2);
    await world.settle();
    assert.deepEqual(sentIds(12), [1, 2]);
  });

  it('tries again what takes too long', async () => {
    const inbox = openInbox(`${directory()}/inbox.db`);
    await inbox.accept({ bodyHash: 'aa', eventType: 'x', receivedAt: 0, orderKey: 'k', hint: '' });
    const outcomes: string[] = [];
    const seen = new Promise<void>((resolve) => {
      const dispatcher = startDispatcher({
        inbox,
        now: Date.now,
        attemptMs: 20,
        onError: () => undefined,
        handle: () => new Promise(() => undefined),
        onOutcome: (outcome) => {
          outcomes.push(outcome);
          resolve(dispatcher.stop());
        },
      });
    });
    await seen;
    assert.deepEqual([outcomes, inbox.stats().open], [['retry'], 1]);
    inbox.close();
  });
});
