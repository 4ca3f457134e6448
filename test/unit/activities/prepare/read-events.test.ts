import assert from 'node:assert/strict';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import { readEvents } from '../../../../src/activities/prepare/read-events.js';
import { ForgeHttpError } from '../../../../src/domain/base/errors.js';
import { createAccess } from '../../../../src/domain/forge/access.js';
import type { Review } from '../../../../src/domain/forge/issue.js';
import { commentKey } from '../../../../src/domain/forge/reference-key.js';
import type { WakeReference } from '../../../../src/domain/run/events.js';
import { failing } from '../../../support/machine/world.js';
import { ALICE, FakeForge } from '../../../support/webhook/fake-forge.js';

const keyOf = (id: number, body: string): string => commentKey({ id, body }, sha256);
const SHA = 'a'.repeat(40);
const AT = '2026-01-01T00:00:00.000Z';

function reference(
  kind: WakeReference['kind'],
  id: number,
  change: Partial<WakeReference> = {},
): WakeReference {
  const at = Date.parse(AT);
  return { key: `${kind}:${String(id)}`, kind, number: 31, id, sha: '', author: 'alice', at, ...change };
}

describe('what woke an agent, read again for its prompt', () => {
  let forge: FakeForge;
  beforeEach(() => {
    forge = new FakeForge();
  });

  const read = (...references: readonly WakeReference[]) => {
    const bound = forge.bind();
    const access = createAccess(bound, { org: 'o', trigger: 'collaborators', wake: 'collaborators' });
    return readEvents(bound, access, references);
  };
  const review = (change: Partial<Review> = {}): Review => ({
    ...{ id: 9, author: ALICE, state: 'commented', body: 'hm', submittedAt: AT, comments: [] },
    ...change,
  });

  it('is told in the order in which it came, with when it was written', async () => {
    forge.putComment(1, ALICE, 'first');
    forge.reviews.set(31, [
      review({ comments: [{ id: 10, author: ALICE, body: 'here', path: 'a.ts', line: 3, updatedAt: AT }] }),
    ]);
    const { events, dropped, readKeys } = await read(
      reference('push', 0, { sha: SHA }),
      reference('comment', 1, { key: keyOf(1, 'first') }),
      reference('review', 9),
      reference('inline', 10, { key: keyOf(10, 'here') }),
    );
    const by = { number: 31, author: 'alice' };
    const remark = { id: 10, author: ALICE, body: 'here', path: 'a.ts', line: 3, updatedAt: AT };
    assert.deepEqual(events, [
      { kind: 'push', ...by, at: AT, sha: SHA },
      { kind: 'comment', ...by, at: '1970-01-01T00:00:00.000Z', body: 'first' },
      { kind: 'review', ...by, at: AT, state: 'commented', body: 'hm', comments: [remark] },
      { kind: 'inline', ...by, at: AT, path: 'a.ts', line: 3, body: 'here' },
    ]);
    assert.deepEqual([dropped, readKeys], [[], []]);
  });

  it('is dropped where it is gone: a comment, a review, a remark in one, a push of who may wake nobody', async () => {
    forge.reviews.set(31, [review()]);
    const gone = [
      reference('comment', 1),
      reference('review', 8),
      reference('inline', 10),
      reference('push', 0, { author: 'mallory' }),
      failing(SHA),
    ];
    const { events, dropped } = await read(...gone);
    assert.deepEqual([events, dropped], [[], gone.map(({ key }) => key)]);
  });

  it('is read again later where the forge is away', async () => {
    const away = new ForgeHttpError(503, 'GET', '/', 'away');
    forge.fault = (call) => {
      if (call === 'comment 1') throw away;
    };
    await assert.rejects(read(reference('comment', 1)), away);
  });

  it('is said to be told again where it is as it was then, and is news where it was changed', async () => {
    forge.putComment(1, ALICE, 'same');
    forge.putComment(2, ALICE, 'changed');
    forge.putComment(3, ALICE, 'told once');
    const { events, readKeys } = await read(
      reference('comment', 1, { key: keyOf(1, 'same'), again: true }),
      reference('comment', 2, { key: keyOf(2, 'before'), again: true }),
      reference('comment', 3, { key: keyOf(3, 'told once') }),
    );
    assert.deepEqual(
      events.map((event) => 'again' in event && event.again),
      [true, false, false],
    );
    assert.deepEqual(readKeys, [keyOf(2, 'changed')]);
  });

  it('is known again by the later of two forms that both wait', async () => {
    forge.putComment(1, ALICE, 'after');
    const both = ['before', 'after'].map((body) => reference('comment', 1, { key: keyOf(1, body) }));
    assert.deepEqual((await read(...both)).readKeys, []);
  });
});
