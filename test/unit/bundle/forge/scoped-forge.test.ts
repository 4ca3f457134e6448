import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JSON_RPC_CODE } from '../../../../src/bundle/jsonrpc/protocol.js';
import { AtMost } from '../../../../src/bundle/base/at-most.js';
import { ScopedForge, type RequireClean } from '../../../../src/bundle/forge/scoped-forge.js';
import { ForgeScopeError, InvalidInputError } from '../../../../src/domain/base/errors.js';
import { RecordingForge } from '../../../support/bundle/recording-forge.js';

const scopedOver = (
  forge: RecordingForge,
  pr: number | null = null,
  requireClean: RequireClean = () => Promise.resolve(),
): ScopedForge =>
  new ScopedForge(() => Promise.resolve(forge), { issue: 12, pr }, requireClean, new AtMost(2));

describe('ScopedForge', () => {
  it('reads anywhere in the repository', async () => {
    const forge = new RecordingForge();
    const scoped = scopedOver(forge);
    await scoped.readIssue(999);
    await scoped.readPr(998);
    await scoped.readComments(997);
    await scoped.readReviews(996);
    await scoped.readDiff(995);
    await scoped.readChecks(994);
    assert.deepEqual(forge.calls, [
      ['readIssue', 999],
      ['readPr', 998],
      ['readComments', 997],
      ['readReviews', 996],
      ['readDiff', 995],
      ['readChecks', 994],
    ]);
  });

  it('refuses a write elsewhere with operation, target and reason, and asks the forge nothing', async () => {
    const forge = new RecordingForge();
    const scoped = scopedOver(forge, 20);
    await assert.rejects(scoped.postComment(9, 'a', 'm'), (error) => {
      assert.ok(error instanceof ForgeScopeError);
      assert.deepEqual(
        [error.operation, error.target, error.reason],
        ['comment', '#9', "outside the run's scope"],
      );
      return true;
    });
    await assert.rejects(scoped.updateDescription(21, 'a'), ForgeScopeError);
    assert.deepEqual(forge.calls, []);
  });

  it('has each text checked before it is posted, word for word, and no other', async () => {
    const forge = new RecordingForge();
    const checked: [string, string, number][] = [];
    const scoped = scopedOver(forge, 20, (where, text) => {
      checked.push([where, text, forge.calls.length]);
      return Promise.resolve();
    });
    await scoped.postComment(12, 'a', 'm');
    await scoped.updateDescription(20, 'b');
    await scoped.readIssue(12);
    await scoped.readComments(12);
    await assert.rejects(scoped.postComment(9, 'c', 'm'), ForgeScopeError);
    await assert.rejects(scoped.updateDescription(9, 'c'), ForgeScopeError);
    assert.deepEqual(checked, [
      ['the comment on #12', 'a', 0],
      ['the description of #20', 'b', 1],
    ]);
  });

  it('posts no text that is not clean', async () => {
    const forge = new RecordingForge();
    const scoped = scopedOver(forge, 20, () => Promise.reject(new Error('not clean')));
    await assert.rejects(scoped.postComment(12, 'a', 'm'), /not clean/);
    await assert.rejects(scoped.updateDescription(20, 'b'), /not clean/);
    assert.deepEqual(forge.calls, []);
  });

  it('takes no number that cannot be one, in any operation', async () => {
    const odd = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '1/../2',
        '12',
        '0x0c',
        NaN,
        Infinity,
        -0,
        0,
        2 ** 53,
        2 ** 53 + 2,
        null,
        undefined,
        true,
        12n,
        [12],
        {
          valueOf: () => 12,
        },
      ),
      fc.double().filter((n) => !(Number.isSafeInteger(n) && n > 0)),
      fc.integer({ max: 0 }),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (value) => {
        const forge = new RecordingForge();
        const scoped = scopedOver(forge, 20);
        const number = value as number;
        const tries = [
          () => scoped.readIssue(number),
          () => scoped.readPr(number),
          () => scoped.readComments(number),
          () => scoped.readReviews(number),
          () => scoped.readDiff(number),
          () => scoped.readChecks(number),
          () => scoped.postComment(number, 'a', 'm'),
          () => scoped.updateDescription(number, 'a'),
        ];
        for (const attempt of tries) await assert.rejects(attempt, InvalidInputError);
        assert.throws(() => {
          scoped.grantPr(number);
        }, InvalidInputError);
        assert.deepEqual(forge.calls, []);
      }),
    );
  });

  it('posts a hundred comments, each counted once, and asks the forge for no more', async () => {
    const forge = new RecordingForge();
    const scoped = scopedOver(forge);
    const usedUp = { code: JSON_RPC_CODE.usedUp, message: /^a turn posts at most 100 comments and 1 MiB/ };
    forge.fault = new Error('away');
    await assert.rejects(scoped.postComment(12, 'a', 'm0'), /away/);
    forge.fault = undefined;
    for (let at = 0; at < 100; at += 1) await scoped.postComment(12, 'a', `m${String(at)}`);
    const { length } = forge.calls;
    await assert.rejects(scoped.postComment(12, 'a', 'another'), usedUp);
    assert.equal(forge.calls.length, length);
    await scoped.postComment(12, 'a', 'm99');
    await scoped.updateDescription(12, 'b');
  });

  it('posts 1 MiB of comments, and nothing counts that is not clean', async () => {
    const forge = new RecordingForge();
    let clean = Promise.reject<undefined>(new Error('not clean'));
    const scoped = scopedOver(forge, null, () => clean);
    const part = 'é'.repeat(128 * 1024);
    await assert.rejects(scoped.postComment(12, part, 'm'), /not clean/);
    clean = Promise.resolve(undefined);
    for (let at = 0; at < 4; at += 1) await scoped.postComment(12, part, `m${String(at)}`);
    await assert.rejects(scoped.postComment(12, 'a', 'another'), { code: JSON_RPC_CODE.usedUp });
    assert.equal(forge.calls.length, 4);
  });

  it('has nothing that may be written to in a run without an issue', async () => {
    const forge = new RecordingForge();
    const scoped = new ScopedForge(
      () => Promise.resolve(forge),
      { issue: null, pr: null },
      () => Promise.resolve(),
      new AtMost(2),
    );
    await assert.rejects(scoped.postComment(12, 'a', 'm'), ForgeScopeError);
    await scoped.readIssue(12);
    assert.deepEqual(forge.calls, [['readIssue', 12]]);
  });

  it('says of each refusal what it was, and of a number what was given for one', async () => {
    const scoped = scopedOver(new RecordingForge());
    await assert.rejects(scoped.updateDescription(9, 'a'), { operation: 'description update', target: '#9' });
    for (const [given, shown] of [
      ['1/../2', '"1/../2"'],
      ['x'.repeat(99), `"${'x'.repeat(40)}"`],
      [1.5, '1.5'],
    ] as const)
      await assert.rejects(scoped.readIssue(given as number), {
        message: `not an issue or pull request number: ${shown}`,
      });
  });

  it('lets exactly the numbers in scope be written, whatever is tried', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 1, max: 40 })),
        fc.integer({ min: 1, max: 40 }),
        async (issue, granted, target) => {
          const forge = new RecordingForge();
          const scoped = new ScopedForge(
            () => Promise.resolve(forge),
            { issue, pr: null },
            () => Promise.resolve(),
            new AtMost(2),
          );
          for (const pr of granted) scoped.grantPr(pr);
          const written = await scoped.postComment(target, 'a', 'm').then(
            () => true,
            () => false,
          );
          assert.equal(written, target === issue || granted.includes(target));
          assert.equal(forge.calls.length, written ? 1 : 0);
        },
      ),
    );
  });
});
