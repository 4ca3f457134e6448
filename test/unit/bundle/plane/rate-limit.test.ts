import assert from 'node:assert/strict';
import { RateLimiter, type CallKind } from '../../../../src/bundle/plane/rate-limit.js';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';

describe('the rate limit of a run', () => {
  let now: number;
  let limiter: RateLimiter;

  beforeEach(() => {
    now = 500;
    limiter = new RateLimiter({ callsPerMinute: 3, writesPerMinute: 2 }, () => now);
  });
  function refusalOf(kind: CallKind): readonly [message: string, data: unknown] {
    try {
      limiter.admit(kind);
    } catch (error) {
      assert.ok(error instanceof JsonRpcError && error.code === JSON_RPC_CODE.rateLimited, String(error));
      return [error.message, error.data];
    }
    return assert.fail('it was admitted');
  }
  const admit = (...kinds: readonly CallKind[]): void => {
    for (const kind of kinds) limiter.admit(kind);
  };

  it('counts calls of any kind, says of how many and how long to wait, and admits again after that', () => {
    admit('read', 'write', 'unknown');
    now += 1_500;
    assert.deepEqual(refusalOf('read'), [
      'more than 3 calls in a minute: wait 59 s',
      { retryAfterMs: 58_500 },
    ]);
    now += 58_500;
    admit('read');
  });

  it('counts writes beside that', () => {
    admit('write', 'write');
    assert.match(refusalOf('write')[0], /^more than 2 writes in a minute: wait 60 s$/);
  });

  it('leaves ten a minute for saying that the turn is over, whatever else was called', () => {
    admit('read', 'read', 'read');
    admit(...Array<CallKind>(10).fill('done'));
    assert.match(refusalOf('done')[0], /^more than 10 signal_done calls in a minute/);
    now += 60_000;
    admit(...Array<CallKind>(10).fill('done'));
    admit('read', 'read', 'read');
  });
});
