import {
  call,
  error,
  mcpBody,
  nested,
  nestedObject,
  RESULT,
  status,
  tool,
  type RpcCase,
} from './rpc-case.js';

const [NOT_JSON, NO_REQUEST, NO_METHOD, BAD_PARAMS] = [-32700, -32600, -32601, -32602];
const FULL = 1_000_000;
const PING = call('ping', '{}');
const INITIALIZE = (version: string, capabilities = '{}'): string =>
  call(
    'initialize',
    `{"protocolVersion":${version},"capabilities":${capabilities},"clientInfo":{"name":"x","version":"1"}}`,
  );
/** Says that it could not be done, as a tool does. */
const TOOL_ERROR = /^HTTP\/1\.1 200 [^]*"isError":true/;

const notMcp = (name: string, body: () => string): RpcCase => mcpBody(name, error(NO_REQUEST, 400), body);
const unknown = (method: string): RpcCase =>
  mcpBody(`the method ${JSON.stringify(method)}`, error(NO_METHOD), () => call(method, '{}'));

/** Bodies of MCP. */
export const MCP: readonly RpcCase[] = [
  mcpBody('half a message', error(NOT_JSON, 400), () => PING.slice(0, -3)),
  mcpBody('opened arrays without end', error(NOT_JSON, 400), () => '['.repeat(FULL)),
  notMcp('arrays half a million deep', () => nested(FULL / 2)),
  notMcp('a batch', () => `[${PING}]`),
  notMcp('a bare value', () => '5'),
  notMcp('null', () => 'null'),
  notMcp('an empty object', () => '{}'),
  notMcp('a message in __proto__', () => `{"__proto__":${PING}}`),
  notMcp('id null', () => call('ping', '{}', 'null')),
  notMcp('an id 100,000 deep', () => call('ping', '{}', nested(100_000))),
  mcpBody('an id with half a number', RESULT, () => call('ping', '{}', '1.5')),
  mcpBody('params that are a list', error(BAD_PARAMS), () => call('tools/call', '["read_issue"]')),
  mcpBody('_meta that is a text', RESULT, () => call('ping', '{"_meta":"x"}')),
  mcpBody('a progress token that is an object', RESULT, () => call('ping', '{"_meta":{"progressToken":{}}}')),
  mcpBody('a version of the protocol that nobody knows', error(NO_REQUEST, 400), () => PING, [
    'Mcp-Protocol-Version: 1999-01-01',
  ]),
  mcpBody('a session of another life', RESULT, () => PING, ['Mcp-Session-Id: ../../x']),
  mcpBody('an event to go on from', RESULT, () => PING, ['Last-Event-Id: 1', 'Accept: text/event-stream']),
  mcpBody('an id of a megabyte', RESULT, () => call('ping', '{}', JSON.stringify('i'.repeat(FULL)))),
  mcpBody('ping with params 100,000 deep', RESULT, () => call('ping', nestedObject(100_000))),
  mcpBody('initialize with capabilities 100,000 deep', RESULT, () =>
    INITIALIZE('"2025-11-25"', `{"experimental":{"x":${nestedObject(100_000)}}}`),
  ),
  mcpBody('initialize with a version of a megabyte', RESULT, () =>
    INITIALIZE(JSON.stringify('9'.repeat(FULL))),
  ),
  mcpBody('initialize without anything', RESULT, () => call('initialize', '{}')),
  ...['resources/list', 'prompts/get', 'tasks/list', 'logging/setLevel', 'read_issue', '', '__proto__'].map(
    unknown,
  ),
  mcpBody('tools/call without a name', error(BAD_PARAMS), () => call('tools/call', '{"arguments":{}}')),
  mcpBody('tools/call with a number for a name', error(BAD_PARAMS), () => call('tools/call', '{"name":1}')),
  mcpBody('the tool __proto__', error(BAD_PARAMS), () => tool('__proto__', '{}')),
  mcpBody('a tool with a name of a megabyte', error(BAD_PARAMS), () => tool('t'.repeat(FULL), '{}')),
  mcpBody('arguments that are a list', error(BAD_PARAMS), () => tool('read_issue', '[1]')),
  mcpBody('arguments that are null', error(BAD_PARAMS), () => tool('read_issue', 'null')),
  mcpBody('arguments 100,000 deep', TOOL_ERROR, () =>
    tool('read_issue', `{"number":1,"x":${nested(100_000)}}`),
  ),
  mcpBody('arguments in __proto__', TOOL_ERROR, () => tool('read_issue', '{"__proto__":{"number":1}}')),
  mcpBody('a comment outside the scope', TOOL_ERROR, () => tool('post_comment', '{"number":9,"body":"x"}')),
  // Who knows no tasks must do the call as if it had not been asked for as one (revision 2025-11-25, "Tasks").
  mcpBody('a tool as a task', RESULT, () =>
    call('tools/call', '{"name":"read_issue","arguments":{"number":1},"task":{"ttl":1}}'),
  ),
  mcpBody(
    'a call as a notification',
    status(202),
    () =>
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"post_comment","arguments":{"number":1,"body":"x"}}}',
  ),
  mcpBody('an answer to what was never asked', status(202), () => '{"jsonrpc":"2.0","id":1,"result":{}}'),
  mcpBody(
    'an error to what was never asked',
    status(202),
    () => '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
  ),
  mcpBody(
    'the end of a call that is not under way',
    status(202),
    () => '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
  ),
];
