import { call, error, mcpBody, nested, nestedObject, tool, type RpcCase } from './rpc-case.js';

const [NOT_JSON, BAD_PARAMS] = [-32700, -32602];
const HASH = `"current_file_hash":"${'a'.repeat(64)}"`;
const WHY = '"justification":"x"';
/** Says that it could not be done, as a tool does; nothing was passed on. */
const REFUSED = /^HTTP\/1\.1 200 [^]*"isError":true/;

const body = (name: string, answer: RegExp, text: () => string): RpcCase =>
  mcpBody(`proposals: ${name}`, answer, text, [], '/supervise/mcp');
const refused = (name: string, args: () => string): RpcCase =>
  body(name, REFUSED, () => tool('capability-block', args()));

/** Bodies on the path of proposals. */
export const SUPERVISE: readonly RpcCase[] = [
  body('opened arrays without end', error(NOT_JSON, 400), () => '['.repeat(1_000_000)),
  body('a tool of the forge', error(BAD_PARAMS), () => tool('read_issue', '{"number":1}')),
  body('the tool __proto__', error(BAD_PARAMS), () => tool('__proto__', '{}')),
  body('arguments that are a list', error(BAD_PARAMS), () => tool('pipelock-block', '[1]')),
  body('a tool as a task', REFUSED, () =>
    call('tools/call', '{"name":"pipelock-block","arguments":{},"task":{"ttl":1}}'),
  ),
  refused('nothing', () => '{}'),
  refused('everything in __proto__', () => `{"__proto__":{"proposed_file":"x",${WHY},${HASH}}}`),
  refused('one thing too many', () => `{"proposed_file":"x",${WHY},${HASH},"status":"approved"}`),
  refused('a file of a megabyte', () => `{"proposed_file":"${'x'.repeat(1_000_000)}",${WHY},${HASH}}`),
  refused('a file that is a number', () => `{"proposed_file":1,${WHY},${HASH}}`),
  refused('a file 100,000 deep', () => `{"proposed_file":${nested(100_000)},${WHY},${HASH}}`),
  refused(
    'a reason that is an object 100,000 deep',
    () => `{"proposed_file":"x","justification":${nestedObject(100_000)},${HASH}}`,
  ),
  refused('a path for a hash', () => `{"proposed_file":"x",${WHY},"current_file_hash":"../../etc/passwd"}`),
  refused(
    'a hash with a line feed',
    () => `{"proposed_file":"x",${WHY},"current_file_hash":"${'a'.repeat(64)}\\n"}`,
  ),
];
