import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FORGE_METHODS } from '../../../src/bundle/forge/methods.js';
import { BundleHere, ISSUE, OWN_PR } from '../../support/bundle/running-bundle.js';
import { plays } from '../../support/scale/plays.js';
import { overUnix } from '../../support/bundle/unix-http.js';

const RUNS = plays(300);
const BODIES_A_RUN = 4;
const WRITES = ['postComment', 'updateDescription'];
const SCOPE: readonly unknown[] = [ISSUE, OWN_PR];

/** Numbers in and out of the scope, and what is no number but might be taken for one. */
const aNumber = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(ISSUE, OWN_PR) },
  fc.constantFrom<unknown>(
    9,
    0,
    -12,
    12.5,
    2 ** 53,
    Infinity,
    '12',
    '1/../12',
    ' 12',
    [12],
    { number: 12 },
    null,
    true,
  ),
  fc.jsonValue(),
);
const aText = fc.oneof(
  fc.constantFrom('x', '', ' ', '@alice closes #1', '\u0000', '\ud800', '</script>', '__proto__'),
  fc.string({ unit: 'binary' }),
);
const names = FORGE_METHODS.map(({ name }) => name).filter((name) => name !== 'open_pr');
const aName = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...names) },
  fc.constantFrom('grantPr', 'constructor', '__proto__', 'tools/call', 'toString', ''),
  fc.string(),
);
const someParams = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        number: aNumber,
        body: aText,
        status: fc.constantFrom('success', 'great'),
        summary: aText,
        extra: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 3, arbitrary: fc.record({ number: aNumber, body: aText }) },
  fc.array(fc.oneof(aNumber, aText), { maxLength: 4 }),
  fc.jsonValue(),
);
const anId = fc.oneof(
  { weight: 4, arbitrary: fc.nat() },
  fc.constantFrom<unknown>(null, -1, 1.5, '', {}, [], 2 ** 60),
  fc.string(),
);

/** Nearly good: what would be written if the scope were not there. */
const aWrite = fc.record({
  name: fc.constantFrom('post_comment', 'update_description'),
  arguments: fc.record({
    number: fc.oneof(fc.integer({ min: 1, max: 30 }), aNumber),
    body: fc.constantFrom('x', 'y'),
  }),
});

const oddCall = fc.record(
  { jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'), id: anId, method: aName, params: someParams },
  { requiredKeys: ['method'] },
);
const rpcMessage = fc.oneof(
  oddCall,
  aWrite.map(({ name, arguments: params }) => ({ jsonrpc: '2.0', id: 1, method: name, params })),
);
const aMeta = fc.record(
  { progressToken: anId, 'io.modelcontextprotocol/related-task': fc.jsonValue() },
  { requiredKeys: [] },
);
const mcpMessage = fc.oneof(
  {
    weight: 3,
    arbitrary: aWrite.map((params) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      jsonrpc: fc.constant('2.0'),
      id: anId,
      method: fc.constant('tools/call'),
      params: fc.record(
        { name: aName, arguments: someParams, _meta: aMeta, task: fc.jsonValue() },
        { requiredKeys: ['name', 'arguments'] },
      ),
    }),
  },
  fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: anId,
      method: fc.constantFrom(
        'initialize',
        'ping',
        'tools/list',
        'tools/call',
        'notifications/cancelled',
        'tasks/result',
      ),
      params: fc.oneof(someParams, fc.record({ _meta: aMeta })),
    },
    { requiredKeys: ['jsonrpc', 'method'] },
  ),
);

type Mutation = readonly [kind: 'none' | 'cut' | 'twice' | 'flip' | 'nest' | 'proto' | 'batch', at: number];
const aMutation: fc.Arbitrary<Mutation> = fc.tuple(
  fc.constantFrom('none', 'none', 'none', 'cut', 'twice', 'flip', 'nest', 'proto', 'batch'),
  fc.nat(),
);

function mutated(message: unknown, [kind, at]: Mutation): Buffer {
  const text = JSON.stringify(message);
  const place = at % Math.max(1, text.length);
  switch (kind) {
    case 'none':
      return Buffer.from(text);
    case 'cut':
      return Buffer.from(text.slice(0, place));
    case 'twice':
      return Buffer.from(text + text.slice(place));
    case 'flip': {
      const bytes = Buffer.from(text);
      bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ (1 << (at % 8));
      return bytes;
    }
    case 'nest':
      return Buffer.from(`${'['.repeat(place * 50)}${text}${']'.repeat(place * 50)}`);
    case 'proto':
      return Buffer.from(text.replace('{', '{"__proto__":{"number":9},'));
    case 'batch':
      return Buffer.from(`[${Array.from({ length: at % 60 }, () => text).join()}]`);
  }
}

const aBody = fc.oneof(
  fc.record({
    path: fc.constant('/rpc'),
    body: fc.tuple(rpcMessage, aMutation).map(([m, how]) => mutated(m, how)),
  }),
  fc.record({
    path: fc.constant('/mcp'),
    body: fc.tuple(mcpMessage, aMutation).map(([m, how]) => mutated(m, how)),
  }),
  fc.record({
    path: fc.constantFrom('/rpc', '/mcp'),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 200, size: 'max' }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
    ),
  }),
);

describe('the sidecar and hostile bodies', function () {
  this.timeout(300_000);
  let bundle: BundleHere;

  beforeEach(() => (bundle = new BundleHere()));
  afterEach(() => bundle.remove());

  it(`answers ${String(RUNS * BODIES_A_RUN)} of them, faults at none, and writes nothing outside the scope`, async () => {
    await bundle.start();
    const unhandled: unknown[] = [];
    const remember = (error: unknown): void => {
      unhandled.push(error);
    };
    process.on('unhandledRejection', remember);
    const statuses = new Map<number, number>();
    try {
      await fc.assert(
        fc.asyncProperty(
          fc.array(aBody, { minLength: BODIES_A_RUN, maxLength: BODIES_A_RUN }),
          async (bodies) => {
            const answers = await Promise.all(
              bodies.map(({ path, body }) => overUnix(bundle.run.socket, { path, body })),
            );
            for (const { status, text } of answers) {
              statuses.set(status, (statuses.get(status) ?? 0) + 1);
              assert.ok([200, 202, 204, 400].includes(status), String(status));
              if (text !== '') JSON.parse(text);
              else assert.ok(status === 202 || status === 204);
            }
            const outside = bundle.forge.calls.filter(
              ([name, number]) => WRITES.includes(name) && !SCOPE.includes(number),
            );
            assert.deepEqual(outside, []);
            assert.deepEqual(
              bundle.logged.concat(unhandled.map((error) => ['error', String(error), undefined])),
              [],
            );
          },
        ),
        { numRuns: RUNS, seed: 20_260_101 },
      );
    } finally {
      process.off('unhandledRejection', remember);
    }
    // Not one side of it only: there were good calls, refused ones and bodies that are nothing.
    const written = bundle.forge.calls.filter(([name]) => WRITES.includes(name));
    assert.ok(written.length > RUNS / 10, `${String(written.length)} writes`);
    for (const status of [200, 202, 204, 400])
      assert.ok((statuses.get(status) ?? 0) > 0, JSON.stringify([...statuses]));
    // Nobody reads here, so most lines are written at the end.
    await bundle.stop();
    const refused = bundle.run.lines().filter(({ text }) => text.includes("outside the run's scope"));
    assert.ok(refused.length > RUNS / 20, `${String(refused.length)} refused`);
  });
});
