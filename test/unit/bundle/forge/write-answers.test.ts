import assert from 'node:assert/strict';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';
import { BottleRuntimeError, ForgeHttpError, InvalidInputError } from '../../../../src/domain/base/errors.js';
import { ISSUE, OWN_PR, planeFixture, type PlaneFixture } from '../../../support/bundle/plane-fixture.js';
import { anIssue } from '../../../support/bundle/recording-forge.js';

describe('what an agent is answered when it writes', () => {
  let fixture: PlaneFixture;

  beforeEach(() => (fixture = planeFixture()));
  const call = async (method: string, params: unknown): Promise<unknown> =>
    (await fixture.plane.call(method, params)).result;
  async function errorOf(method: string, params: unknown): Promise<JsonRpcError> {
    const error: unknown = await call(method, params).catch((caught: unknown) => caught);
    return error instanceof JsonRpcError ? error : assert.fail(String(error));
  }
  const comment = { number: ISSUE, body: 'hi' };
  const lastLine = (): readonly unknown[] => {
    const { target, outcome, text } = fixture.log.at(-1) ?? assert.fail();
    return [target, outcome, text];
  };

  it('is where its text is now', async () => {
    assert.deepEqual(await call('post_comment', comment), { ok: true, number: ISSUE, id: 99 });
    const description = { number: OWN_PR, body: 'new' };
    assert.deepEqual(await call('update_description', description), { ok: true, number: OWN_PR });
  });

  it('is that its turn is over, which the log has with how it ended', async () => {
    assert.deepEqual(await call('signal_done', { status: 'blocked', summary: 'x' }), { ok: true });
    assert.deepEqual(fixture.done, [['blocked', 'x']]);
    assert.deepEqual(lastLine(), ['', 'ok', 'signalled done: blocked']);
  });

  it('has no closing line in the text of the issue itself, even in a run about a pull request', async () => {
    fixture.scoped.grantPr(ISSUE);
    await call('update_description', { number: ISSUE, body: 'new' });
    assert.deepEqual(fixture.forge.calls, [['updateDescription', ISSUE, 'new']]);
  });

  it('names no target where it publishes', async () => {
    await call('open_pr', { title: 'T', body: '' });
    assert.equal(lastLine()[0], '');
  });

  describe('of a comment that the forge forbids', () => {
    beforeEach(() => {
      fixture.forge.postComment = () => Promise.reject(new ForgeHttpError(403, 'POST', '/', 'forbidden'));
    });

    it('is that the conversation is locked, where it is, and that calling again does not help', async () => {
      fixture.forge.issue = (number) => anIssue(number, { locked: true });
      const { code, message, data } = await errorOf('post_comment', comment);
      assert.equal(code, JSON_RPC_CODE.forgeError);
      assert.match(message, /^the conversation of #12 is locked on the forge.*until a person unlocks it$/);
      assert.deepEqual(data, { status: 403, retryable: false });
    });

    it('is that it is not allowed, where it is not locked or that cannot be read', async () => {
      const notAllowed = /^comment on #12: the forge does not allow it \(403\)$/;
      assert.match((await errorOf('post_comment', comment)).message, notAllowed);
      fixture.forge.readIssue = () => Promise.reject(new ForgeHttpError(502, 'GET', '/', 'away'));
      assert.match((await errorOf('post_comment', comment)).message, notAllowed);
    });
  });

  it('of a comment that fails otherwise does not ask whether it is locked', async () => {
    fixture.forge.issue = (number) => anIssue(number, { locked: true });
    for (const fault of [new ForgeHttpError(500, 'POST', '/', 'x'), new TypeError('ours')]) {
      fixture.forge.postComment = () => Promise.reject(fault);
      await assert.rejects(call('post_comment', comment));
      assert.doesNotMatch(String(lastLine()[2]), /locked/);
    }
    assert.deepEqual(fixture.forge.calls, []);
  });

  const answers: [status: number, says: string, retryable: boolean][] = [
    [0, 'the forge does not answer', true],
    [401, 'the forge does not allow it (401)', false],
    [403, 'the forge does not allow it (403)', false],
    [404, 'not found (404)', false],
    [422, 'the forge answered 422', false],
    [500, 'the forge answered 500', true],
  ];
  for (const [status, says, retryable] of answers) {
    it(`is "${says}" and ${retryable ? '' : 'not '}to try again when the forge says ${String(status)}`, async () => {
      fixture.forge.fault = new ForgeHttpError(status, 'GET', '/api/secret-place', 'GET https://git: no');
      const { code, message, data, cause } = await errorOf('read_pr', { number: 4 });
      assert.deepEqual([code, message], [JSON_RPC_CODE.forgeError, `reading PR #4: ${says}`]);
      assert.deepEqual(data, { status, retryable });
      assert.equal(cause, fixture.forge.fault, 'for the log of the sidecar');
      assert.deepEqual(lastLine(), ['PR #4', 'failed', `failed reading PR #4: ${says}`]);
    });
  }

  it('is that its input is wrong where it is, as a refusal', async () => {
    fixture.forge.fault = new InvalidInputError('no such branch');
    const { code, message, cause } = await errorOf('read_pr', { number: 4 });
    assert.deepEqual([code, message], [JSON_RPC_CODE.invalidParams, 'invalid params: no such branch']);
    assert.equal(cause, fixture.forge.fault);
    assert.equal(lastLine()[1], 'refused');
  });

  it('is the code of another fault that is known, and whether to try again', async () => {
    fixture.forge.fault = new BottleRuntimeError('docker at /run/docker.sock is away', true);
    const { code, message, data } = await errorOf('read_pr', { number: 4 });
    assert.deepEqual([code, message], [JSON_RPC_CODE.forgeError, 'reading PR #4: bottle_runtime']);
    assert.deepEqual(data, { status: 0, retryable: true });
    assert.equal(lastLine()[1], 'failed');
  });

  it('is what waits for the next turn, which counts as failed and not as refused', async () => {
    fixture.publish = () => Promise.reject(new JsonRpcError(JSON_RPC_CODE.pending, 'not lost'));
    assert.equal((await errorOf('open_pr', { title: 'T', body: '' })).code, JSON_RPC_CODE.pending);
    assert.deepEqual(lastLine(), ['', 'failed', 'failed open_pr: not lost']);
  });

  it('is why its parameters are wrong, which the log has too', async () => {
    const { message } = await errorOf('post_comment', { number: ISSUE });
    assert.match(message, /parameter "body" is missing/);
    assert.deepEqual(lastLine(), ['', 'refused', `refused post_comment: ${message}`]);
  });

  it('is that there is no such method, which the log has as unknown, in a line of its own', async () => {
    const { message } = await errorOf('merge\nit', {});
    assert.equal(message, 'method not found: merge it');
    const { operation } = fixture.log.at(-1) ?? assert.fail();
    assert.equal(operation, 'unknown');
    assert.deepEqual(lastLine(), ['', 'refused', 'refused unknown method "merge it"']);
  });

  it('is once in the log, also when it ends after the sidecar was told to stop', async () => {
    let publish: () => void = () => undefined;
    fixture.publish = () =>
      new Promise((resolve) => {
        publish = () => {
          resolve({ kind: 'refused', reason: 'late' });
        };
      });
    const held = call('open_pr', { title: 'T', body: '' });
    fixture.plane.interrupt();
    assert.deepEqual(lastLine(), ['', 'failed', 'failed open_pr: the sidecar was stopped before it ended']);
    publish();
    await held;
    assert.equal(fixture.log.length, 1);
  });
});
