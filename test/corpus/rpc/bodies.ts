import {
  call,
  error,
  nested,
  nestedObject,
  NOTHING,
  RESULT,
  rpcBody,
  status,
  type RpcCase,
} from './rpc-case.js';

const [NOT_JSON, NO_REQUEST, NO_METHOD, BAD_PARAMS, OUT_OF_SCOPE] = [-32700, -32600, -32601, -32602, -32001];
/** Nearly what the sidecar takes of a request. */
const FULL = 1_000_000;
/** Nearly what it takes of a text. */
const TEXT = 59_000;

const READ = call('read_issue', '{"number":1}');
const batch = (entries: readonly string[]): string => `[${entries.join()}]`;
const comment = (body: string, number = '1'): string =>
  call('post_comment', `{"number":${number},"body":${JSON.stringify(body)}}`);

/** What is no JSON, or not in the encoding that it claims. */
const NOT_EVEN_JSON: readonly RpcCase[] = [
  rpcBody('nothing', error(NOT_JSON), () => ''),
  rpcBody('white space without end', error(NOT_JSON), () => ' '.repeat(FULL)),
  rpcBody('half a call', error(NOT_JSON), () => READ.slice(0, -9)),
  rpcBody('a call and something after it', error(NOT_JSON), () => `${READ}}`),
  rpcBody('NULs', error(NOT_JSON), () => Buffer.alloc(FULL)),
  rpcBody('a call and a NUL', error(NOT_JSON), () => `${READ}\0`),
  rpcBody('a NUL in a text as it is', error(NOT_JSON), () => comment('x').replace('"x"', '"a\0b"')),
  rpcBody('UTF-16', error(NOT_JSON), () => Buffer.from(`\ufeff${READ}`, 'utf16le')),
  rpcBody('a byte order mark', error(NOT_JSON), () => `\ufeff${READ}`),
  rpcBody('bytes that are no UTF-8 around a call', error(NOT_JSON), () =>
    Buffer.concat([Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from(READ)]),
  ),
  rpcBody('noise', error(NOT_JSON), () => Buffer.from('\x80\xfe{[",:'.repeat(FULL / 10), 'latin1')),
  rpcBody('opened arrays without end', error(NOT_JSON), () => '['.repeat(FULL)),
  rpcBody('opened objects without end', error(NOT_JSON), () => '{"a":'.repeat(FULL / 5)),
  rpcBody('a text that does not end', error(NOT_JSON), () => `"${'\\'.repeat(FULL)}`),
  rpcBody('a number that does not end as one', error(NOT_JSON), () => `${'1'.repeat(FULL)}e`),
  rpcBody('NaN', error(NOT_JSON), () => call('read_issue', '{"number":NaN}')),
  rpcBody('single quotes', error(NOT_JSON), () => READ.replaceAll('"', "'")),
];

/** What is JSON, but no call. */
const NO_CALLS: readonly RpcCase[] = [
  rpcBody('arrays half a million deep', error(NO_REQUEST), () => nested(FULL / 2)),
  rpcBody('objects 150,000 deep', error(NO_REQUEST), () => nestedObject(150_000)),
  rpcBody('100,000 keys', error(NO_REQUEST), () => {
    const keys = Array.from({ length: 100_000 }, (_, at) => `"${String(at)}":0`);
    return `{${keys.join()}}`;
  }),
  rpcBody('another version, as a number', error(NO_REQUEST), () => READ.replace('"2.0"', '2.0')),
  rpcBody('a version twice, the wrong one last', error(NO_REQUEST), () =>
    READ.replace('{', '{"jsonrpc":"2.0",').replace('"jsonrpc":"2.0","id"', '"jsonrpc":"1.0","id"'),
  ),
  rpcBody('its members in __proto__', error(NO_REQUEST), () => `{"__proto__":${READ}}`),
  rpcBody('a list for a method', error(NO_REQUEST), () => READ.replace('"read_issue"', '["read_issue"]')),
  rpcBody('a text for params', error(NO_REQUEST), () => call('read_issue', '"1"')),
  rpcBody('null for params', error(NO_REQUEST), () => call('read_issue', 'null')),
  rpcBody('an object for an id', error(NO_REQUEST), () => call('read_issue', '{"number":1}', '{}')),
  rpcBody('an id 100,000 deep', error(NO_REQUEST), () => call('read_issue', '{"number":1}', nested(100_000))),
  rpcBody('an empty batch', error(NO_REQUEST), () => '[]'),
  rpcBody('a batch of one call too many', error(NO_REQUEST), () => batch(Array<string>(51).fill(READ))),
  rpcBody('a batch of half a million nulls', error(NO_REQUEST), () =>
    batch(Array<string>(FULL / 5).fill('null')),
  ),
  rpcBody('a batch in a batch', error(NO_REQUEST), () => batch([batch([READ])])),
  rpcBody('a batch of values', error(NO_REQUEST), () => batch(['1', '"x"', 'null', 'true', '{}', '[]'])),
];

/** Methods that are none. */
const NO_METHODS: readonly RpcCase[] = [
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'grantPr',
    'READ_ISSUE',
    ' read_issue',
    '',
  ].map((method) =>
    rpcBody(`the method ${JSON.stringify(method)}`, error(NO_METHOD), () => call(method, '{}')),
  ),
  rpcBody('a method twice, the wrong one last', error(NO_METHOD), () =>
    READ.replace('"params"', '"method":"admin","params"'),
  ),
  rpcBody('a method with a name of a megabyte', error(NO_METHOD), () => call('m'.repeat(FULL), '{}')),
  rpcBody('a method whose name moves the cursor', error(NO_METHOD), () => call('\u001b[2J\r\n\u202e', '{}')),
  rpcBody('50 calls of methods that are none', error(NO_METHOD), () =>
    batch(Array.from({ length: 50 }, (_, id) => call('x'.repeat(10_000), '{}', String(id)))),
  ),
];

/** Good calls with hostile content. */
const CALLS: readonly RpcCase[] = [
  rpcBody('a number 100,000 deep', error(BAD_PARAMS), () =>
    call('read_issue', `{"number":${nested(100_000)}}`),
  ),
  rpcBody('a positional number 100,000 deep', error(BAD_PARAMS), () => call('read_issue', nested(100_000))),
  rpcBody('a number of a million digits', error(BAD_PARAMS), () =>
    call('read_issue', `{"number":${'9'.repeat(FULL)}}`),
  ),
  rpcBody('a number with a million decimals', RESULT, () =>
    call('read_issue', `{"number":1.${'0'.repeat(FULL)}1}`),
  ),
  rpcBody('a number twice, one outside the scope last', error(OUT_OF_SCOPE), () =>
    call('post_comment', '{"number":1,"number":9,"body":"x"}'),
  ),
  rpcBody('a number in __proto__', error(BAD_PARAMS), () => call('read_issue', '{"__proto__":{"number":1}}')),
  rpcBody('a number, and another in __proto__', error(BAD_PARAMS), () =>
    call('post_comment', '{"number":9,"body":"x","__proto__":{"number":1}}'),
  ),
  rpcBody('parameters that are an object’s own methods', error(BAD_PARAMS), () =>
    call('read_issue', '{"toJSON":1,"valueOf":2,"hasOwnProperty":3,"constructor":{"prototype":{}}}'),
  ),
  rpcBody('50,000 unknown parameters', error(BAD_PARAMS), () => {
    const keys = Array.from({ length: 50_000 }, (_, at) => `"k${String(at)}":0`);
    return call('read_issue', `{${keys.join()}}`);
  }),
  rpcBody('a list of half a million parameters', error(BAD_PARAMS), () =>
    call('read_issue', batch(Array<string>(FULL / 5).fill('null'))),
  ),
  rpcBody('an unknown parameter with a name of a megabyte', error(BAD_PARAMS), () =>
    call('read_issue', `{"${'k'.repeat(FULL)}":1}`),
  ),
  rpcBody('an id of a megabyte', RESULT, () =>
    call('read_issue', '{"number":1}', JSON.stringify('i'.repeat(FULL))),
  ),
  rpcBody('an id of a million digits', RESULT, () => call('read_issue', '{"number":1}', '9'.repeat(FULL))),
  rpcBody('a comment one byte too long', error(BAD_PARAMS), () => comment('x'.repeat(60_001))),
  rpcBody('a comment of nothing that is seen', error(BAD_PARAMS), () =>
    comment('\u0000\u0007 \n'.repeat(999)),
  ),
  rpcBody('a comment with bytes that are no UTF-8', RESULT, () =>
    Buffer.from(comment('a\xff\xc0\x80b'), 'latin1'),
  ),
  rpcBody('a comment of lone surrogates', RESULT, () =>
    comment('x').replace('"x"', `"${'\\ud800\\udfff\\udc00'.repeat(500)}"`),
  ),
  rpcBody('a comment with NULs and other controls', RESULT, () => comment('a\u0000\u001b[2Jb\u009b\u202e')),
  rpcBody('a comment of open fences', RESULT, () => comment('~~~x\n'.repeat(TEXT / 5))),
  rpcBody('a comment of line feeds', RESULT, () => comment(`x${'\n'.repeat(TEXT)}`)),
  rpcBody('a comment of opened brackets', RESULT, () => comment('[!['.repeat(TEXT / 3))),
  rpcBody('a comment of quotes in quotes', RESULT, () => comment('> '.repeat(TEXT / 2))),
  rpcBody('a comment of mentions', RESULT, () => comment('@a '.repeat(TEXT / 3))),
  rpcBody('a batch of 50 comments outside the scope', error(OUT_OF_SCOPE), () =>
    batch(Array.from({ length: 50 }, (_, at) => comment(String(at), '9'))),
  ),
  rpcBody('a batch of 50 reads', RESULT, () => batch(Array<string>(50).fill(READ))),
  rpcBody('a batch of notifications', status(204), () =>
    batch(Array<string>(50).fill('{"jsonrpc":"2.0","method":"read_issue","params":{"number":1}}')),
  ),
  rpcBody('one byte more than a request may have', status(413), () => ' '.repeat(1024 * 1024 + 1)),
  { ...rpcBody('a call that is not waited for', NOTHING, () => READ), then: 'leaves' },
];

/** Bodies of JSON-RPC. */
export const BODIES: readonly RpcCase[] = [...NOT_EVEN_JSON, ...NO_CALLS, ...NO_METHODS, ...CALLS];
