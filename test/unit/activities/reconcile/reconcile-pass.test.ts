import assert from 'node:assert/strict';
import { createReconcileActivities } from '../../../../src/activities/reconcile/reconcile-activity.js';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import { feedSubject, NOW } from '../../../support/reconcile/feed-here.js';
import { PassHere } from '../../../support/reconcile/pass-here.js';
import { inActivity } from '../../../support/temporal/in-activity.js';

const TRIGGER = { labels: ['bot-bottle:coder'], assignees: ['bot'] };
const HOUR = 3_600_000;
const answer = (status: number, retryAfterMs?: number): ForgeHttpError =>
  new ForgeHttpError(status, 'GET', '/', `answered ${String(status)}`, { retryAfterMs });

describe('the end of a reconciler’s pass', () => {
  let world: PassHere;
  beforeEach(() => {
    world = new PassHere();
    world.feed.issues = [feedSubject(1, TRIGGER), feedSubject(2, TRIGGER), feedSubject(3)];
  });

  it('tells what was found and known, what it cost, and up to when all is read', async () => {
    world.post = ({ number }) => Promise.resolve(number === 1 ? 'known' : 'accepted');
    assert.deepEqual(await world.pass(), {
      ...{ end: 'done', detail: null, findings: 1, known: 1, requests: 1, durationMs: 0 },
      cursor: '2026-11-23T10:00:00.000Z',
    });
    assert.deepEqual(world.levels, ['info']);
  });

  it('tells of no time before every list is through, and then of the earliest', async () => {
    world.repos = ['alice/demo', 'bob/*'];
    world.feed.at = null;
    world.feed.issues = [feedSubject(1, { updatedAt: NOW - 9_000 })];
    assert.equal((await world.pass()).cursor, null);
    const place = { repoId: 8, owner: 'bob', repo: 'x' };
    world.feed.issues = [...world.feed.issues, feedSubject(1, { place, updatedAt: NOW - 2_000 })];
    assert.equal((await world.pass()).cursor, new Date(NOW - 9_000).toISOString());
    world.repos = ['*'];
    world.feed.issues = [];
    assert.equal((await world.pass()).cursor, null, 'of a list that was never through');
  });

  it('measures its time', async () => {
    world.feed.fault = () => {
      world.now += 700;
      return undefined;
    };
    assert.equal((await world.pass()).durationMs, 700);
  });

  it('is the budget, and the next pass goes on where this one stood', async () => {
    world.repos = ['alice/demo', 'bob/x', 'carol/y'];
    world.feed.places = [
      ...world.feed.places,
      { repoId: 8, owner: 'bob', repo: 'x' },
      { repoId: 9, owner: 'carol', repo: 'y' },
    ];
    world.requests = 2;
    const first = await world.pass();
    assert.deepEqual([first.end, first.requests, first.cursor], ['budget', 2, null]);
    assert.equal(world.state.next, 'changes of carol/y');
    const before = world.feed.asked.length;
    const second = await world.pass();
    assert.deepEqual([second.end, second.requests], ['budget', 2]);
    assert.equal(world.feed.asked[before], 'changed carol/y all 1');
  });

  it('is the budget when a page took many requests, and all of them are told', async () => {
    world.repos = ['alice/demo', 'alice/other'];
    world.feed.places = [...world.feed.places, { repoId: 8, owner: 'alice', repo: 'other' }];
    world.feed.more = (request) => (request.startsWith('changed alice/demo') ? 61 : 0);
    const { end, requests } = await world.pass();
    assert.deepEqual([end, requests, world.state.next], ['budget', 62, 'changes of alice/other']);
  });

  it('is not the budget within what such a page is a step of: it would never be through', async () => {
    world.addRun({ prNumber: 14 });
    world.feed.issues = [feedSubject(12), feedSubject(14, { isPull: true })];
    world.feed.more = (request) => (request.startsWith('pushed 14') ? 61 : 0);
    const { end, requests } = await world.pass();
    assert.ok(requests > 62, String(requests));
    assert.ok(world.feed.asked.includes('reviews 14 1'), 'what comes after it');
    assert.equal(end, 'budget');
    assert.deepEqual(Object.keys(world.state.runs), [world.rows[0]?.slug]);
  });

  it('is the time, or that the worker stops', async () => {
    world.repos = ['alice/demo', 'bob/x'];
    world.feed.fault = () => {
      world.now += 90_001;
      return undefined;
    };
    const late = await world.pass();
    assert.deepEqual([late.end, late.requests], ['time', 1]);
    world.feed.fault = () => undefined;
    const { end, requests } = await world.pass(AbortSignal.abort());
    assert.deepEqual([end, requests], ['stopped', 0]);
  });

  it('is not the time as long as that is not over', async () => {
    world.repos = ['alice/demo', 'alice/other'];
    world.feed.places = [...world.feed.places, { repoId: 8, owner: 'alice', repo: 'other' }];
    world.feed.fault = () => {
      world.now = NOW + 90_000;
      return undefined;
    };
    assert.equal((await world.pass()).end, 'done');
  });

  for (const [what, error, wait] of [
    ['for a while', answer(429, 5_000), 5_000],
    ['without a time', answer(429), 60_000],
    ['at another status', answer(503, 7_000), 7_000],
    ['for days', answer(429, 100 * HOUR), 24 * HOUR],
  ] as const)
    it(`is that the forge asks to be left alone ${what}, and it is`, async () => {
      world.feed.fault = () => error;
      const first = await world.pass();
      assert.deepEqual([first.end, first.requests, world.levels], ['limited', 1, ['info']]);
      assert.match(first.detail ?? '', new RegExp(new Date(NOW + wait).toISOString()));
      world.feed.fault = () => undefined;
      world.now = NOW + wait - 1;
      const second = await world.pass();
      assert.deepEqual([second.end, second.requests, second.durationMs], ['limited', 0, 0]);
      assert.equal(second.detail, first.detail);
      assert.equal(world.feed.asked.length, 1);
      world.now = NOW + wait;
      assert.equal((await world.pass()).end, 'done');
      assert.equal(world.state.notBefore, null);
    });

  it('is no wait longer than any that was noted, when the clock was set back since', async () => {
    world.state = { ...world.state, notBefore: NOW + 24 * HOUR };
    assert.equal((await world.pass()).end, 'limited');
    world.now = NOW - 1;
    assert.deepEqual([(await world.pass()).end, world.state.notBefore], ['done', null]);
  });

  it('is the forge’s fault, told as one, and the rest gets its turn first the next time', async () => {
    world.repos = ['alice/demo', 'bob/x'];
    world.feed.places = [...world.feed.places, { repoId: 8, owner: 'bob', repo: 'x' }];
    world.feed.fault = (request) => (request.startsWith('changed alice/demo') ? answer(500) : undefined);
    const { end, detail } = await world.pass();
    assert.deepEqual([end, detail, world.levels], ['forge', 'answered 500', ['error']]);
    await world.pass();
    assert.deepEqual(world.feed.asked, [
      'changed alice/demo all 1',
      'changed bob/x all 1',
      'changed alice/demo all 1',
    ]);
  });

  for (const status of [301, 400, 403, 404, 413, 422, 423, 451])
    it(`is not that one thing is refused with ${String(status)}: the others are read`, async () => {
      world.repos = ['alice/demo', 'bob/x'];
      world.feed.fault = (request) => (request.startsWith('changed alice/demo') ? answer(status) : undefined);
      world.feed.places = [...world.feed.places, { repoId: 8, owner: 'bob', repo: 'x' }];
      assert.equal((await world.pass()).end, 'done');
      assert.deepEqual([world.levels, world.feed.asked.length], [['warn', 'info'], 2]);
    });

  it('is the door’s fault, and what it does not have is posted again', async () => {
    world.post = ({ number }) =>
      number === 2 ? Promise.reject(new Error('no webhook')) : Promise.resolve('accepted');
    const first = await world.pass();
    assert.deepEqual([first.end, first.detail, first.findings], ['door', 'no webhook', 1]);
    assert.deepEqual(world.levels, ['error']);
    world.post = () => Promise.resolve('accepted');
    assert.deepEqual(await world.news(), ['demo#2 state']);
  });

  it('is an error for a fault of our own, with what was dealt with saved', async () => {
    world.post = ({ number }) => {
      if (number === 2) world.feed.fault = () => new TypeError('x is not a function');
      return Promise.resolve('accepted');
    };
    world.repos = ['alice/demo', 'bob/x'];
    await assert.rejects(world.pass(), TypeError);
    assert.equal(world.state.posted.length, 2);
    assert.deepEqual(Object.keys(world.state.lists), ['alice/demo', 'bob/x']);
  });

  it('is, as an activity, that the one before is under way while it is', async () => {
    const { reconcile } = createReconcileActivities(world.ports());
    const first = inActivity(() => reconcile());
    assert.equal((await inActivity(() => reconcile())).end, 'busy');
    assert.equal((await first).end, 'done');
  });
});
