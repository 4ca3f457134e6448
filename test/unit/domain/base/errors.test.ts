import assert from 'node:assert/strict';
import {
  type BotBottleError,
  BottleRuntimeError,
  ContainerOverrunError,
  ForgeHttpError,
  ForgeScopeError,
  GitError,
  GitOverrunError,
  InvalidInputError,
  isNotFound,
  SecretScanError,
  SecretScanOverrunError,
  SigningKeyError,
  UnusableSecretError,
} from '../../../../src/domain/base/errors.js';

const answered = (status: number): ForgeHttpError => new ForgeHttpError(status, 'GET', '/x', 'no');

describe('what the forge answered', () => {
  for (const [status, retryable, away] of [
    [0, true, true],
    [401, false, false],
    [403, false, false],
    [404, false, false],
    [409, false, false],
    [422, false, false],
    [429, true, true],
    [499, false, false],
    [500, true, false],
    [501, true, false],
    [502, true, true],
    [503, true, true],
    [504, true, true],
  ] as const)
    it(`with ${String(status)} is ${retryable ? 'worth another try' : 'final'}${away ? ', and it was away' : ''}`, () => {
      const error = answered(status);
      assert.deepEqual([error.retryable, error.away, error.status], [retryable, away, status]);
      assert.equal(error.code, status === 404 ? 'forge_not_found' : 'forge_http');
    });

  it('keeps the wait that it asked for, and the cause', () => {
    const cause = new Error('ECONNRESET');
    const error = new ForgeHttpError(429, 'GET', '/x', 'no', { cause, retryAfterMs: 7_000 });
    assert.deepEqual([error.retryAfterMs, error.cause], [7_000, cause]);
    assert.equal(answered(429).retryAfterMs, undefined);
  });

  it('is nothing where it is gone, hidden or has moved', () => {
    for (const status of [301, 302, 307, 308, 404, 410])
      assert.ok(isNotFound(answered(status)), String(status));
    for (const status of [0, 200, 303, 400, 401, 403, 500])
      assert.ok(!isNotFound(answered(status)), String(status));
    for (const other of [new InvalidInputError('404'), { status: 404 }, undefined])
      assert.ok(!isNotFound(other));
  });
});

describe('a fault', () => {
  const cause = new Error('why');
  const rows: readonly [() => BotBottleError, string, string, boolean][] = [
    [() => new InvalidInputError('no', { cause }), 'InvalidInputError', 'invalid_input', false],
    [() => new UnusableSecretError('no', { cause }), 'UnusableSecretError', 'invalid_input', false],
    [() => new SigningKeyError('no'), 'SigningKeyError', 'signing_key', true],
    [() => new BottleRuntimeError('no', true, { cause }), 'BottleRuntimeError', 'bottle_runtime', true],
    [
      () => new ContainerOverrunError('no', false, { cause }),
      'ContainerOverrunError',
      'bottle_runtime',
      false,
    ],
    [() => new GitError('no', true, { cause }), 'GitError', 'git', true],
    [() => new GitError('no', false, { cause }), 'GitError', 'git', false],
    [() => new GitOverrunError('no'), 'GitOverrunError', 'git', true],
    [() => new GitOverrunError('no', 'too much', false), 'GitOverrunError', 'git', false],
    [() => new SecretScanError('no', { cause }), 'SecretScanError', 'secret_scan', true],
    [() => new SecretScanOverrunError('no', { cause }), 'SecretScanOverrunError', 'secret_scan', true],
  ];
  for (const [fault, name, code, retryable] of rows)
    it(`that is a ${name}, ${code}, is ${retryable ? 'worth another try' : 'final'}`, () => {
      const error = fault();
      assert.deepEqual([error.name, error.code, error.message], [name, code, 'no']);
      assert.deepEqual([error.retryable, error.away], [retryable, false]);
      assert.ok(error.cause === undefined || error.cause === cause);
    });

  it('keeps its cause, and that what is needed was away', () => {
    const git = new GitError('no', true, { cause, away: true });
    const engine = new BottleRuntimeError('no', true, { cause, away: true });
    for (const error of [git, engine]) assert.deepEqual([error.cause, error.away], [cause, true]);
    for (const error of [new InvalidInputError('no', { cause }), new SecretScanError('no', { cause })])
      assert.equal(error.cause, cause);
  });

  it('of writing where a run may not is final, and says what was wanted and why not', () => {
    const error = new ForgeScopeError('comment', 'alice/demo#3', 'not its issue');
    assert.equal(error.message, 'comment on alice/demo#3 refused: not its issue');
    assert.deepEqual([error.code, error.retryable], ['forge_scope', false]);
    assert.deepEqual(
      [error.operation, error.target, error.reason],
      ['comment', 'alice/demo#3', 'not its issue'],
    );
  });

  it('of git that needed too much has words for the agent, where there are some', () => {
    assert.equal(new GitOverrunError('no', 'too much').reason, 'too much');
    assert.equal(new GitOverrunError('no').reason, undefined);
  });
});
