import assert from 'node:assert/strict';
import {
  InitializeResultSchema,
  ListToolsResultSchema,
  ProgressNotificationSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { FORGE_METHODS } from '../../../../src/bundle/forge/methods.js';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';
import { MCP_VERSIONS, mcpMethods } from '../../../../src/bundle/mcp/mcp-methods.js';
import type { CallOutcome } from '../../../../src/bundle/plane/plane.js';
import { until } from '../../../support/bundle/until.js';

const OK: CallOutcome = { result: { ok: true }, refused: undefined };

describe('the methods of the MCP server', () => {
  let called: unknown[];
  let told: unknown[];
  let faults: unknown[];
  let outcome: () => Promise<CallOutcome>;

  beforeEach(() => {
    called = [];
    told = [];
    faults = [];
    outcome = () => Promise.resolve(OK);
  });

  const ask = (method: string, params?: unknown): Promise<unknown> =>
    mcpMethods(
      {
        name: 'bottle',
        tools: FORGE_METHODS,
        instructions: 'tools for the issue',
        progressMs: 5,
        onFault: (fault) => faults.push(fault),
        plane: {
          call: (name, args) => {
            called.push([name, args]);
            return outcome();
          },
        },
      },
      (notification) => told.push(notification),
    )(method, params);

  const refusal = async (method: string, params?: unknown): Promise<readonly [number, string]> => {
    try {
      return assert.fail(`answered ${JSON.stringify(await ask(method, params))}`);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      return [error.code, error.message];
    }
  };

  it('speak every revision of MCP that the official client does', () => {
    assert.deepEqual(MCP_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS);
  });

  it('introduce themselves in the revision of the client, or in the newest', async () => {
    for (const [wanted, given] of [
      ['2024-11-05', '2024-11-05'],
      ['2025-11-25', '2025-11-25'],
      ['2031-01-01', '2025-11-25'],
      [undefined, '2025-11-25'],
    ]) {
      const result = InitializeResultSchema.parse(await ask('initialize', { protocolVersion: wanted }));
      assert.deepEqual(result, {
        protocolVersion: given,
        capabilities: { tools: {} },
        serverInfo: { name: 'bottle', version: '1' },
        instructions: 'tools for the issue',
      });
    }
  });

  it('list every tool, and answer a ping with nothing', async () => {
    const { tools } = ListToolsResultSchema.parse(await ask('tools/list'));
    assert.deepEqual(
      tools.map(({ name }) => name),
      FORGE_METHODS.map(({ name }) => name),
    );
    assert.deepEqual(await ask('ping'), {});
  });

  it('pass a call on with its arguments, without any as none', async () => {
    await ask('tools/call', { name: 'read_issue', arguments: { number: 1 } });
    await ask('tools/call', { name: 'read_issue' });
    assert.deepEqual(called, [
      ['read_issue', { number: 1 }],
      ['read_issue', {}],
    ]);
  });

  it('refuse what is no call of a tool, and carry none of it out', async () => {
    for (const [params, why] of [
      [undefined, '"name" must be a string'],
      [['read_issue'], '"params" must be an object'],
      [{ name: 7 }, '"name" must be a string'],
      [{ name: 'read_issue', arguments: [1] }, '"arguments" must be an object'],
      [{ name: 'read_issue', arguments: null }, '"arguments" must be an object'],
    ] as const)
      assert.deepEqual(await refusal('tools/call', params), [JSON_RPC_CODE.invalidParams, why]);
    assert.deepEqual(called, []);
  });

  it('answer a call that failed, and tell a fault of ours to nobody but the log', async () => {
    const call = { name: 'read_issue', arguments: { number: 1 } };
    outcome = () => Promise.reject(new JsonRpcError(JSON_RPC_CODE.forgeError, 'not found'));
    assert.match(JSON.stringify(await ask('tools/call', call)), /not found.*"isError":true/);
    const fault = new Error('inner matter');
    outcome = () => Promise.reject(fault);
    assert.match(JSON.stringify(await ask('tools/call', call)), /internal error.*"isError":true/);
    assert.deepEqual(faults, [fault]);
  });

  it('name the tools to who calls another, once the plane has counted it', async () => {
    const [code, why] = await refusal('tools/call', { name: '__proto__' });
    assert.equal(code, JSON_RPC_CODE.invalidParams);
    assert.match(why, /^unknown tool; there are read_issue, /);
    assert.deepEqual(called, [['__proto__', {}]]);
  });

  for (const method of ['resources/list', 'toString', '__proto__', ''])
    it(`have no method "${method}", and say which there are`, async () => {
      assert.deepEqual(await refusal(method), [
        JSON_RPC_CODE.methodNotFound,
        'method not found; there are initialize, ping, tools/list, tools/call',
      ]);
    });

  it('tell of progress until the answer is there, to who asked', async () => {
    let answer: (outcome: CallOutcome) => void = () => undefined;
    outcome = () => new Promise((resolve) => (answer = resolve));
    const call = ask('tools/call', { name: 'open_pr', arguments: {}, _meta: { progressToken: 'p' } });
    await until('two of them', () => (told.length >= 2 ? true : undefined));
    answer(OK);
    await call;
    const { length } = told;
    const [first, second] = told.map((each) => ProgressNotificationSchema.parse(each).params);
    assert.deepEqual(
      [first, second],
      [1, 2].map((progress) => ({
        progressToken: 'p',
        progress,
        message: 'open_pr is still under way',
      })),
    );
    outcome = () => new Promise((resolve) => setTimeout(resolve, 30, OK));
    await ask('tools/call', { name: 'open_pr', _meta: { progressToken: {} } });
    await ask('tools/call', { name: 'open_pr', _meta: null });
    await ask('tools/call', { name: 'open_pr', _meta: { progressToken: 'p'.repeat(257) } });
    assert.equal(told.length, length);
    await ask('tools/call', { name: 'open_pr', _meta: { progressToken: 'p'.repeat(256) } });
    assert.ok(told.length > length);
  });
});
