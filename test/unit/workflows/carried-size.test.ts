import assert from 'node:assert/strict';
import type { Trigger, WakeReference } from '../../../src/domain/run/events.js';
import { signalOf } from '../../../src/workflows/messages.js';
import { isOpenPr, readSignal } from '../../../src/workflows/read-message.js';
import { isQuiescent } from '../../../src/workflows/run/phase.js';
import { proposalRefusal } from '../../../src/workflows/run/supervise/proposals.js';
import { done, observed, PLACE, SUBJECT, trigger, World, wrote } from '../../support/machine/world.js';

/** The server ends a workflow that would begin the next execution with 2,000,000 bytes. */
const MOST_BYTES = 1_000_000;
const LATEST = Number.MAX_VALUE;
const TEXT = '\u{1f4a3}'.repeat(1_000) + '\u0001'.repeat(8_000);
const NAME = 'ö'.repeat(300);

/** The longest that passes for a reference. */
function longest(n: number): WakeReference {
  return {
    key: `checks:${String(n)}:`.padEnd(128, 'x'),
    kind: 'comment',
    number: Number.MIN_SAFE_INTEGER,
    id: Number.MIN_SAFE_INTEGER + n,
    sha: String(n).padEnd(64, 'x'),
    author: 'x'.repeat(100),
    at: -LATEST,
  };
}

const longTrigger = (actAt: number): Trigger =>
  trigger(actAt, {
    ...{
      actor: NAME,
      actId: Number.MAX_SAFE_INTEGER,
      textHash: NAME,
      bottles: Array<string>(100).fill(NAME),
    },
    operator: {
      promptRef: NAME,
      by: NAME,
      source: { forge: 'gitea', owner: NAME, repo: NAME, path: '/'.repeat(4_096) },
    },
  });

describe('what a run carries into its next execution', () => {
  /** As a signal that anybody can send, with what else comes to mind in it. */
  function feed(world: World, event: Parameters<typeof signalOf>[0]): void {
    const { name, payload } = signalOf(event, SUBJECT.number);
    const junk = { junk: 'x'.repeat(100_000) };
    const withJunk = (value: unknown): unknown => {
      if (Array.isArray(value))
        return value.map((one: unknown, index) => (index === 0 ? withJunk(one) : one));
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).map(([key, inner]) => [key, withJunk(inner)] as const);
      return { ...Object.fromEntries(fields), ...junk };
    };
    const read = readSignal(name, JSON.parse(JSON.stringify(withJunk(payload))));
    assert.ok(read.kind !== 'unread', read.kind === 'unread' ? read.why : '');
    world.feed(read);
  }

  let written = 0;
  function write(world: World): void {
    for (let batch = 0; batch < 6; batch += 1)
      feed(world, wrote(...Array.from({ length: 1_000 }, () => longest((written += 1)))));
  }

  it('is at most half of what the server takes, whatever passes for a signal or an Update', () => {
    const world = new World();
    feed(world, observed({ readAt: 1, trigger: longTrigger(1) }));
    world.start();
    for (let n = 0; n < 64; n += 1) {
      const id = n.toString(16).padStart(32, '0');
      const ref = 'f'.repeat(64);
      world.feed({ kind: 'proposed', id, tool: 'capability-block', ref, turn: 1, at: world.now });
      const decision = { by: 'ö'.repeat(128), at: world.now, ref, notesRef: ref };
      world.feed({ kind: 'decided', id, status: 'modified', ...decision });
      world.feed({ kind: 'change_applied', id });
    }
    for (let n = 0; n < 50; n += 1)
      world.feed({
        kind: 'published',
        requestId: String(n).padStart(40, 'x'),
        result: { kind: 'refused', reason: 'x'.repeat(1_000) },
      });
    for (let first = 1; first < 3_000; first += 1_000) {
      const prs = Array.from({ length: 1_000 }, (_, index) => ({
        ...{ number: Number.MAX_SAFE_INTEGER - first - index, open: true, merged: false, closedAt: LATEST },
      }));
      feed(world, observed({ readAt: first + 1, prs }));
    }
    write(world);
    world.endTurn({ done });
    assert.ok(world.turn.taken.length > 0, world.reason ?? world.phase);
    world.prepare();
    for (let n = 0; n < 200; n += 1)
      feed(world, { kind: 'turn_held_up', slug: world.life.slug, turn: world.turn.number, reason: TEXT });
    world.started();
    write(world);
    feed(world, { kind: 'paused', reason: TEXT });
    world.command({ kind: 'freeze' });
    world.endTurn({ done });
    feed(world, { kind: 'unserved', why: TEXT });
    const { state, life } = world;
    assert.ok(isQuiescent(state));
    for (const what of [life.mailbox.waiting, life.turn.given, state.seen, life.timeline, life.prs])
      assert.ok(what.length >= 100, String(what.length));
    assert.deepEqual([life.answers.length, life.proposals.length], [50, 64]);
    assert.equal(life.mailbox.omitted + life.mailbox.waiting.length, 6_000);
    const bytes = Buffer.byteLength(JSON.stringify(state));
    assert.ok(bytes < MOST_BYTES, String(bytes));
  });

  it('is as little between two lives', () => {
    const world = World.frozenDone();
    world.feed({ kind: 'lost', readAt: 90_000, why: 'gone' });
    feed(world, observed({ readAt: 100_000, trigger: longTrigger(95_000) }));
    const { pendingTrigger } = world.state;
    assert.ok(pendingTrigger !== null);
    for (let batch = 0; batch < 6; batch += 1) {
      const batchOf = Array.from({ length: 1_000 }, () => ({ ...longest((written += 1)), at: LATEST }));
      feed(world, wrote(...batchOf));
    }
    assert.ok(world.state.pendingReferences.length > 100);
    const bytes = Buffer.byteLength(JSON.stringify(world.state));
    assert.ok(bytes < MOST_BYTES, String(bytes));
  });

  it('has none of what is longer than anything of ours', () => {
    const longer: readonly Partial<WakeReference>[] = [
      { key: 'x'.repeat(129) },
      { key: '' },
      { key: 'a b' },
      { sha: 'x'.repeat(65) },
      { author: 'x'.repeat(101) },
      { author: '\u0000' },
    ];
    const kindWith = (change: object): string =>
      readSignal('push', { references: [{ ...longest(1), ...change }], withdrawn: [], place: PLACE }).kind;
    assert.equal(kindWith({}), 'references');
    for (const change of longer) assert.equal(kindWith(change), 'unread', JSON.stringify(change));
  });
});

describe('the ids of Updates', () => {
  const slug = 'implementer-12-abcde';

  it('of requests are those of messages, and of blobs', () => {
    const request = { slug, turn: 1, requestId: 'x'.repeat(40), contentRef: 'f'.repeat(64) };
    assert.equal(isOpenPr(request), true);
    for (const change of [
      { requestId: 'x'.repeat(41) },
      { requestId: ['request1'] },
      { requestId: undefined },
      { contentRef: 'f'.repeat(65) },
      { contentRef: ['f'.repeat(64)] },
      { slug: 7 },
      { turn: '1' },
    ])
      assert.equal(isOpenPr({ ...request, ...change }), false, JSON.stringify(change));
    for (const odd of [undefined, null, 'x', [request]]) assert.equal(isOpenPr(odd), false);
  });

  it('of proposals are text, too', () => {
    const { state } = World.frozenDone();
    const request = {
      slug,
      turn: 1,
      id: 'a'.repeat(32),
      tool: 'pipelock-block',
      ref: 'f'.repeat(64),
    } as const;
    for (const odd of [{ id: [request.id] }, { ref: [request.ref] }])
      assert.equal(proposalRefusal(state, { ...request, ...odd } as never), 'it is no proposal');
  });
});
