import assert from 'node:assert/strict';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import type { Finding } from '../../../../src/domain/upkeep/reconcile.js';
import {
  findingBody,
  findingHeaders,
  parseReconciled,
  verifyFinding,
} from '../../../../src/webhook/events/reconciled.js';
import { hmacOf, SECRET } from '../../../support/webhook/sign.js';

const HEADER = 'x-bot-bottle-signature';
const FINDING: Finding = {
  forge: 'gitea',
  owner: 'alice',
  repo: 'demo',
  repoId: 7,
  number: 31,
  isPull: true,
  headRef: 'bot-bottle/12-abc12',
  cause: { kind: 'push' },
  seen: 'head c0ffee',
};

describe('what the reconciler posts', () => {
  const body = findingBody(FINDING);
  const good = findingHeaders(SECRET, body)[HEADER] ?? '';
  const verdict = (headers: Record<string, string[]>, text = body, secret = SECRET) =>
    verifyFinding(secret, Buffer.from(text), headers);

  it('passes with the one signature that it was sent with, as JSON', () => {
    assert.equal(findingHeaders(SECRET, body)['content-type'], 'application/json');
    assert.deepEqual(verdict({ [HEADER]: [good] }), { ok: true });
  });

  it('does not pass with another body, another secret, or what a forge signs with the same one', () => {
    const wrong = { ok: false, reason: 'wrong signature' };
    assert.deepEqual(verdict({ [HEADER]: [good] }, `${body} `), wrong);
    assert.deepEqual(verdict({ [HEADER]: [good] }, body, 'another'), wrong);
    assert.deepEqual(verdict({ [HEADER]: [hmacOf(Buffer.from(body))] }), wrong);
  });

  it('does not pass with no signature, or with two, whichever of them fits', () => {
    for (const headers of [{}, { [HEADER]: [] }, { [HEADER]: [good, good] }, { 'x-gitea-signature': [good] }])
      assert.deepEqual(verdict(headers), { ok: false, reason: 'one signature is needed' });
  });

  it('does not pass with what is no digest, which says so', () => {
    for (const claim of ['', `${good}0`, `0${good}`, good.slice(1), good.toUpperCase(), `sha256=${good}`])
      assert.deepEqual(
        verdict({ [HEADER]: [claim] }),
        { ok: false, reason: `${HEADER} is not a hex SHA-256 digest` },
        claim,
      );
  });

  it('cannot be verified without a secret: an empty one would let everybody in', () => {
    assert.throws(() => verdict({ [HEADER]: [good] }, body, ''), InvalidInputError);
  });

  it('is read as a hint at the subject that names nobody', () => {
    const hint = (finding: Partial<Finding>) => parseReconciled(findingBody({ ...FINDING, ...finding }));
    assert.deepEqual(hint({}), {
      kind: 'hint',
      hint: {
        subject: { forge: 'gitea', owner: 'alice', repo: 'demo', number: 31 },
        repoId: 7,
        isPull: true,
        headRef: 'bot-bottle/12-abc12',
        forkHead: null,
        sender: null,
        cause: { kind: 'push' },
        likelyAssignees: [],
      },
    });
    for (const cause of [
      { kind: 'state' },
      { kind: 'comment', commentId: 5 },
      { kind: 'checks', sha: 'a'.repeat(40) },
    ] as const) {
      const read = hint({ cause });
      assert.deepEqual(read.kind === 'hint' && read.hint.cause, cause);
    }
    // The one that is meant: when the pull request was touched says nothing beside it.
    const review = hint({ cause: { kind: 'review', reviewId: 9 } });
    assert.deepEqual(review.kind === 'hint' && review.hint.cause, { kind: 'review', reviewId: 9, since: '' });
  });

  it('is malformed where it is not JSON or not a finding, and says which', () => {
    assert.deepEqual(parseReconciled('{"forge":'), { kind: 'malformed', reason: 'not JSON' });
    const none = { kind: 'malformed', reason: 'not a finding of the reconciler' };
    for (const odd of [null, [], { ...FINDING, owner: '../x' }, { ...FINDING, cause: { kind: 'trigger' } }])
      assert.deepEqual(parseReconciled(JSON.stringify(odd)), none);
  });
});
