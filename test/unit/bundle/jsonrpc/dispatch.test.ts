import assert from 'node:assert/strict';
import fc from 'fast-check';
import { answerMessage } from '../../../../src/bundle/jsonrpc/dispatch.js';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';

/** The methods of the specification's own examples (https://www.jsonrpc.org/specification#examples). */
async function call(method: string, params: unknown): Promise<unknown> {
  if (method === 'subtract') {
    const named = params as { minuend: number; subtrahend: number };
    const [a, b] = Array.isArray(params) ? (params as number[]) : [named.minuend, named.subtrahend];
    return Number(a) - Number(b);
  }
  if (method === 'sum') return (params as number[]).reduce((sum, n) => sum + n, 0);
  if (method === 'get_data') return ['hello', 5];
  if (method === 'nothing') return undefined;
  if (method === 'update' || method === 'notify_hello') return null;
  if (method === 'explode') throw new Error('inner matter');
  if (method === 'too_often') throw new JsonRpcError(JSON_RPC_CODE.rateLimited, 'wait', { retryAfterMs: 5 });
  throw new JsonRpcError(JSON_RPC_CODE.methodNotFound, 'Method not found');
}

const faults: unknown[] = [];
const say = (text: string): Promise<string | undefined> =>
  answerMessage(text, { call, onFault: (error) => faults.push(error) });
const parsed = async (text: string): Promise<unknown> => JSON.parse((await say(text)) ?? 'null');
const error = (id: unknown, code: number) => ({ jsonrpc: '2.0', id, code });
/** Messages of errors are free: compared by code. */
const codes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(codes);
  const { error: inner, ...rest } = value as { error?: { code: number; message: unknown } };
  if (inner === undefined) return rest;
  assert.equal(typeof inner.message, 'string');
  return { ...rest, code: inner.code };
};

describe('JSON-RPC 2.0', () => {
  beforeEach(() => faults.splice(0));

  it('answers positional and named parameters', async () => {
    assert.deepEqual(await parsed('{"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}'), {
      jsonrpc: '2.0',
      result: 19,
      id: 1,
    });
    const named = '{"jsonrpc":"2.0","method":"subtract","params":{"subtrahend":23,"minuend":42},"id":"x"}';
    assert.deepEqual(await parsed(named), { jsonrpc: '2.0', result: 19, id: 'x' });
  });

  it('says nothing to a notification, not even an error', async () => {
    assert.equal(await say('{"jsonrpc":"2.0","method":"update","params":[1]}'), undefined);
    assert.equal(await say('{"jsonrpc":"2.0","method":"foobar"}'), undefined);
    assert.equal(await say('{"jsonrpc":"2.0","method":"explode"}'), undefined);
    assert.equal(faults.length, 1);
  });

  it('answers null where a method gives nothing: a response has a result or an error', async () => {
    assert.deepEqual(await parsed('{"jsonrpc":"2.0","method":"nothing","id":1}'), {
      jsonrpc: '2.0',
      result: null,
      id: 1,
    });
  });

  it('answers a request with id null', async () => {
    assert.deepEqual(await parsed('{"jsonrpc":"2.0","method":"get_data","id":null}'), {
      jsonrpc: '2.0',
      result: ['hello', 5],
      id: null,
    });
  });

  const single: [string, string, unknown][] = [
    ['unknown method', '{"jsonrpc":"2.0","method":"foobar","id":"1"}', error('1', -32601)],
    ['text that is not JSON', '{"jsonrpc":"2.0","method":"foobar, "params":"bar","baz]', error(null, -32700)],
    ['nothing at all', '', error(null, -32700)],
    ['a number for a method', '{"jsonrpc":"2.0","method":1,"params":"bar"}', error(null, -32600)],
    ['a number for a method, and no params', '{"jsonrpc":"2.0","method":1,"id":3}', error(3, -32600)],
    ['another version', '{"jsonrpc":"1.0","method":"sum","id":3}', error(3, -32600)],
    [
      'params that are no structure',
      '{"jsonrpc":"2.0","method":"sum","params":"x","id":3}',
      error(3, -32600),
    ],
    ['null for params', '{"jsonrpc":"2.0","method":"sum","params":null,"id":3}', error(3, -32600)],
    ['an object for an id', '{"jsonrpc":"2.0","method":"sum","id":{}}', error(null, -32600)],
    ['a bare value', '1', error(null, -32600)],
    ['null', 'null', error(null, -32600)],
    ['an empty batch', '[]', error(null, -32600)],
    ['a batch cut off', '[{"jsonrpc":"2.0","method":"sum","id":"1"},{"jsonrpc"]', error(null, -32700)],
    ['a fault inside', '{"jsonrpc":"2.0","method":"explode","id":1}', error(1, -32603)],
    ['nesting without end', '['.repeat(200_000), error(null, -32700)],
  ];
  for (const [what, text, expected] of single) {
    it(`answers ${what} with one error object`, async () => {
      assert.deepEqual(codes(await parsed(text)), expected);
    });
  }

  const refusals: [string, RegExp][] = [
    ['{', /not JSON/],
    ['[]', /empty batch/],
    ['1', /not an object/],
    ['{"jsonrpc":"2.0","method":"sum","id":true}', /"id" must be a string, a number or null/],
    ['{"jsonrpc":"1.0","method":"sum","id":3}', /"jsonrpc" must be "2.0"/],
    ['{"jsonrpc":"2.0","id":3}', /"method" must be a string/],
    ['{"jsonrpc":"2.0","method":"sum","params":1,"id":3}', /"params" must be an object or an array/],
    ['{"jsonrpc":"2.0","method":"explode","id":3}', /^internal error$/],
  ];
  for (const [text, why] of refusals) {
    it(`says to ${text} what is wrong with it`, async () => {
      const { error: told } = (await parsed(text)) as { error: { message: string } };
      assert.match(told.message, why);
    });
  }

  it('passes on what an error has beside its message, and nothing where it has nothing', async () => {
    const answer = (method: string): Promise<unknown> =>
      parsed(JSON.stringify({ jsonrpc: '2.0', method, id: 1 }));
    const limited = { code: JSON_RPC_CODE.rateLimited, message: 'wait', data: { retryAfterMs: 5 } };
    assert.deepEqual(await answer('too_often'), { jsonrpc: '2.0', id: 1, error: limited });
    const unknown = { code: JSON_RPC_CODE.methodNotFound, message: 'Method not found' };
    assert.deepEqual(await answer('foobar'), { jsonrpc: '2.0', id: 1, error: unknown });
    assert.deepEqual(faults, [], 'what the caller may know is no fault');
  });

  it('keeps the details of a fault to itself', async () => {
    assert.doesNotMatch((await say('{"jsonrpc":"2.0","method":"explode","id":1}')) ?? '', /inner/);
    assert.equal((faults[0] as Error).message, 'inner matter');
  });

  it('answers a batch entry by entry, without the notifications, in order', async () => {
    const batch = `[{"jsonrpc":"2.0","method":"sum","params":[1,2,4],"id":"1"},
      {"jsonrpc":"2.0","method":"notify_hello","params":[7]},
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":"2"},
      {"foo":"boo"},
      {"jsonrpc":"2.0","method":"foo.get","params":{"name":"myself"},"id":"5"},
      {"jsonrpc":"2.0","method":"get_data","id":"9"}]`;
    assert.deepEqual(codes(await parsed(batch)), [
      { jsonrpc: '2.0', result: 7, id: '1' },
      { jsonrpc: '2.0', result: 19, id: '2' },
      error(null, -32600),
      error('5', -32601),
      { jsonrpc: '2.0', result: ['hello', 5], id: '9' },
    ]);
    assert.deepEqual(
      codes(await parsed('[1,2,3]')),
      [1, 2, 3].map(() => error(null, -32600)),
    );
  });

  it('says nothing to a batch of notifications', async () => {
    assert.equal(
      await say('[{"jsonrpc":"2.0","method":"update"},{"jsonrpc":"2.0","method":"update"}]'),
      undefined,
    );
  });

  it('takes a batch of fifty, and refuses one that is longer as a whole, with how many there may be', async () => {
    const batchOf = (length: number): string =>
      JSON.stringify(Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', method: 'get_data', id })));
    assert.equal(((await parsed(batchOf(50))) as unknown[]).length, 50);
    const refused = await parsed(batchOf(51));
    assert.deepEqual(codes(refused), error(null, -32600));
    assert.match(JSON.stringify(refused), /at most 50 calls/);
  });

  it('answers any JSON with responses only, and never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        const answer = await say(text);
        assert.ok(answer !== undefined, 'arbitrary JSON is no notification');
        const responses = [JSON.parse(answer) as unknown].flat() as {
          jsonrpc: string;
          error: { code: number };
        }[];
        for (const response of responses) {
          assert.equal(response.jsonrpc, '2.0');
          assert.equal(response.error.code, -32600);
        }
      }),
    );
  });

  it('leaves out what answers of a batch have beyond 1 MiB, and says so in their place', async () => {
    const batch = ['a', 'b', 'c', 'd'].map((id) => ({ jsonrpc: '2.0', method: 'long', id }));
    const asked: string[] = [];
    const text = await answerMessage(JSON.stringify(batch), {
      call: (method) => {
        asked.push(method);
        return Promise.resolve(asked.length === 4 ? 'short' : '"'.repeat(250_000));
      },
      onFault: (fault) => faults.push(fault),
    });
    const answers = JSON.parse(text ?? '[]') as { id: string; result?: string; error?: { code: number } }[];
    assert.deepEqual(
      answers.map(({ id, result, error: why }) => [id, result?.length ?? why?.code]),
      [
        ['a', 250_000],
        ['b', 250_000],
        ['c', JSON_RPC_CODE.rateLimited],
        ['d', 5],
      ],
    );
    assert.equal(asked.length, 4);
  });
});
