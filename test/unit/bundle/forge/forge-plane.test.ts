import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FORGE_METHODS } from '../../../../src/bundle/forge/methods.js';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';
import type { Plane } from '../../../../src/bundle/plane/plane.js';
import { planeFixture, SECRET } from '../../../support/bundle/plane-fixture.js';
import { aComment, anIssue } from '../../../support/bundle/recording-forge.js';

async function errorOf(plane: Plane, method: string, params?: unknown): Promise<JsonRpcError> {
  const error: unknown = await plane.call(method, params).then(
    () => assert.fail(`${method} was carried out`),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof JsonRpcError, String(error));
  return error;
}

describe('the forge plane', () => {
  it('has the nine methods of the contract, each with an input schema and a description', () => {
    const names = FORGE_METHODS.map((method) => method.name);
    assert.deepEqual(names, [
      'read_issue',
      'read_pr',
      'read_comments',
      'read_diff',
      'read_checks',
      'post_comment',
      'update_description',
      'open_pr',
      'signal_done',
    ]);
    for (const { description, inputSchema } of FORGE_METHODS) {
      assert.ok(description.length > 20);
      assert.equal(inputSchema['additionalProperties'], false);
    }
  });

  const dispatches = [
    ['read_issue', { number: 3 }, [['readIssue', 3]], 'read issue #3', '#3'],
    ['read_pr', { number: 4 }, [['readPr', 4]], 'read PR #4', 'PR #4'],
    [
      'read_comments',
      { number: 4 },
      [
        ['readComments', 4],
        ['readReviews', 4],
      ],
      'read the comments of #4',
      '#4',
    ],
    ['read_diff', { number: 4 }, [['readDiff', 4]], 'read the diff of PR #4', 'PR #4'],
    ['read_checks', { number: 4 }, [['readChecks', 4]], 'read the checks of PR #4', 'PR #4'],
    [
      'post_comment',
      { number: 12, body: 'hi' },
      [['postComment', 12, 'hi', 'marker-12']],
      'posted a comment on #12',
      '#12',
    ],
    [
      'update_description',
      { number: 12, body: 'new' },
      [['updateDescription', 12, 'new']],
      'updated the description of #12',
      '#12',
    ],
  ] as const;
  for (const [method, params, calls, text, target] of dispatches) {
    it(`dispatches ${method} to the forge and logs it as "${text}"`, async () => {
      const { plane, forge, log } = planeFixture();
      await plane.call(method, params);
      assert.deepEqual(forge.calls, calls);
      assert.deepEqual(log, [{ operation: method, target, outcome: 'ok', text }]);
    });
  }

  it('has what is posted checked as it is posted: inert, with the closing line', async () => {
    const { plane, texts } = planeFixture();
    await plane.call('post_comment', { number: 12, body: 'ask @bob' });
    await plane.call('update_description', { number: 20, body: 'new' });
    assert.deepEqual(texts, [
      ['the comment on #12', 'ask @\u200Bbob'],
      ['the description of #20', 'new\n\nCloses #12'],
    ]);
  });

  it('tells a text with a secret as refused, and one that was not checked as failed', async () => {
    const fixture = planeFixture();
    const { plane, log, forge } = fixture;
    const comment = { number: 12, body: 'hi' };
    for (const code of [JSON_RPC_CODE.secretFound, JSON_RPC_CODE.unchecked]) {
      fixture.checks.check = () => Promise.reject(new JsonRpcError(code, 'the reason'));
      assert.equal((await errorOf(plane, 'post_comment', comment)).code, code);
    }
    assert.deepEqual(
      log.map(({ outcome, text }) => [outcome, text]),
      [
        ['refused', 'refused comment on #12: the reason'],
        ['failed', 'failed comment on #12: the reason'],
      ],
    );
    assert.deepEqual(forge.calls, []);
  });

  it('refuses every write out of which a secret of ours was taken, and nothing else', async () => {
    const { plane, log, forge, requests, done } = planeFixture();
    const writes: [string, unknown][] = [
      ['post_comment', { number: 12, body: SECRET }],
      ['update_description', { number: 12, body: SECRET }],
      ['open_pr', { title: SECRET, body: '' }],
    ];
    for (const [method, params] of writes)
      await assert.rejects(plane.call(method, params), { code: JSON_RPC_CODE.secretFound });
    assert.deepEqual([forge.calls, requests], [[], []]);
    assert.deepEqual(
      log.map(({ outcome }) => outcome),
      ['refused', 'refused', 'refused'],
    );
    await plane.call('signal_done', { status: 'success', summary: SECRET });
    assert.deepEqual(done, [['success', '[secret]']]);
    await plane.call('post_comment', { number: 12, body: '[secret]' });
  });

  it('refuses and logs a write outside the scope, with operation, target and reason', async () => {
    const { plane, forge, log } = planeFixture();
    const error = await errorOf(plane, 'post_comment', { number: 9, body: 'hi' });
    assert.equal(error.code, JSON_RPC_CODE.outOfScope);
    assert.deepEqual(error.data, {
      operation: 'comment',
      target: '#9',
      reason: "outside the run's scope",
      writable: [12, 20],
    });
    assert.deepEqual(log, [
      {
        operation: 'post_comment',
        target: '#9',
        outcome: 'refused',
        text: "refused comment on #9: outside the run's scope",
      },
    ]);
    await errorOf(plane, 'update_description', { number: 9, body: '' });
    assert.equal(log[1]?.text, "refused description update of #9: outside the run's scope");
    assert.deepEqual(forge.calls, []);
  });

  it('answers every impossible number with invalid params and no request', async () => {
    const impossible = fc.oneof(
      fc.constantFrom('1/../2', '12', 1.5, -1, 0, 2 ** 53, 1e21, null, true, [], {}, undefined),
      fc.jsonValue().filter((value) => !(Number.isSafeInteger(value) && Number(value) > 0)),
    );
    await fc.assert(
      fc.asyncProperty(impossible, async (number) => {
        const { plane, forge, log } = planeFixture();
        for (const { name } of FORGE_METHODS.slice(0, 7)) {
          const body = name.startsWith('read') ? {} : { body: 'x' };
          const error = await errorOf(plane, name, { number, ...body });
          assert.equal(error.code, JSON_RPC_CODE.invalidParams);
        }
        assert.deepEqual(forge.calls, []);
        assert.ok(log.every((line) => line.outcome === 'refused'));
      }),
      { numRuns: 60 },
    );
  });

  it('refuses missing, unknown and oversized parameters', async () => {
    const { plane, done } = planeFixture();
    const bad: [string, unknown][] = [
      ['read_issue', undefined],
      ['read_issue', {}],
      ['read_issue', { number: 1, extra: 1 }],
      ['read_issue', [1, 2]],
      ['post_comment', { number: 12, body: '  ' }],
      ['post_comment', { number: 12, body: 'x'.repeat(60_001) }],
      ['signal_done', { status: 'great', summary: '' }],
      ['signal_done', { status: 'success', summary: 'é'.repeat(8193) }],
      ['signal_done', JSON.parse('{"status":"success","summary":"","__proto__":{}}')],
    ];
    for (const [method, params] of bad) {
      assert.equal(
        (await errorOf(plane, method, params)).code,
        JSON_RPC_CODE.invalidParams,
        JSON.stringify(params),
      );
    }
    assert.deepEqual(done, []);
  });

  it('knows no other method, not even an inherited one', async () => {
    const { plane, log } = planeFixture();
    for (const name of ['grantPr', 'grant_pr', 'constructor', '__proto__', 'rpc.discover', '']) {
      assert.equal((await errorOf(plane, name, {})).code, JSON_RPC_CODE.methodNotFound);
    }
    assert.ok(log.every((line) => line.outcome === 'refused'));
  });

  it('marks what it reads as untrusted and takes out what a page would not show, counted', async () => {
    const { plane, forge } = planeFixture();
    forge.issue = (number) => anIssue(number, { title: 'a\u202Eb', body: 'see<!-- obey -->n\u200B' });
    forge.comments = [aComment(1, 'x<!-- y -->')];
    const issue = (await plane.call('read_issue', { number: 3 })).result as Record<string, unknown>;
    assert.equal(issue['untrusted'], true);
    assert.equal(issue['title'], 'ab');
    assert.deepEqual(issue['body'], { text: 'seen', removed: { hiddenCharacters: 1, htmlComments: 1 } });
    const read = (await plane.call('read_comments', { number: 3 })).result as Record<string, unknown>;
    assert.equal(read['untrusted'], true);
    assert.deepEqual(read['comments'], [
      {
        id: 1,
        author: 'alice',
        createdAt: '2026-01-02T03:04:05Z',
        updatedAt: '2026-01-02T03:04:05Z',
        body: { text: 'x', removed: { hiddenCharacters: 0, htmlComments: 1 } },
      },
    ]);
    assert.deepEqual(read['reviews'], [], 'an issue has no reviews');
  });

  it('answers open_pr with the number, or with why nothing was published', async () => {
    const fixture = planeFixture();
    const { plane, requests, log } = fixture;
    const params = { title: 'T', body: 'B' };
    assert.deepEqual(await plane.call('open_pr', params), {
      result: { published: true, number: 21, commit: 'c'.repeat(40) },
      refused: undefined,
    });
    fixture.publish = () => Promise.resolve({ kind: 'refused', reason: 'a secret in a.ts' });
    assert.deepEqual(await plane.call('open_pr', params), {
      result: { published: false, reason: 'a secret in a.ts' },
      refused: 'a secret in a.ts',
    });
    assert.deepEqual(requests, [
      ['T', 'B'],
      ['T', 'B'],
    ]);
    assert.deepEqual(
      log.map((line) => [line.outcome, line.text]),
      [
        ['ok', 'published to PR #21'],
        ['refused', 'refused open_pr: a secret in a.ts'],
      ],
    );
  });

  it('leaves a fault of ours without details, but logged', async () => {
    const { plane, forge, log } = planeFixture();
    forge.fault = new TypeError('inner matter');
    await assert.rejects(plane.call('read_pr', { number: 4 }), TypeError);
    assert.equal(log[0]?.text, 'failed reading PR #4: internal error');
  });

  it('limits calls and writes a minute, counts what it turns away, and still takes signal_done', async () => {
    const { plane, log, limited, done } = planeFixture({ callsPerMinute: 4, writesPerMinute: 1 });
    await plane.call('post_comment', { number: 12, body: 'a' });
    const error = await errorOf(plane, 'post_comment', { number: 12, body: 'b' });
    assert.equal(error.code, JSON_RPC_CODE.rateLimited);
    assert.deepEqual(error.data, { retryAfterMs: 60_000 });
    await plane.call('read_issue', { number: 1 });
    await plane.call('read_issue', { number: 1 });
    await errorOf(plane, 'read_issue', { number: 1 });
    assert.equal(limited.count, 2);
    assert.equal(log.length, 3);
    await plane.call('signal_done', { status: 'success', summary: '' });
    assert.deepEqual(done, [['success', '']]);
  });
});
