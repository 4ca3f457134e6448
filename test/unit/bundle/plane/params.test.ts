import assert from 'node:assert/strict';
import { jsonSchemaOf, parseParams, type ParamsSpec } from '../../../../src/bundle/plane/params.js';
import { JSON_RPC_CODE, JsonRpcError } from '../../../../src/bundle/jsonrpc/protocol.js';

const HASH = 'ab'.repeat(32);
const SPEC = {
  number: { type: 'number', description: 'Which one.' },
  text: { type: 'text', description: 'What.', maxBytes: 10, required: 'non-empty' },
  note: { type: 'text', description: 'More.', maxBytes: 10, required: 'may be empty' },
  status: { type: 'choice', description: 'How.', values: ['good', 'bad'] },
  hash: { type: 'sha256', description: 'Of what.' },
} as const satisfies ParamsSpec;
const GOOD = { number: 12, text: 'some', note: '', status: 'bad', hash: HASH };

const parse = (changes: object): unknown => parseParams(SPEC, { ...GOOD, ...changes });
function refusalOf(params: unknown, spec: ParamsSpec = SPEC): string {
  try {
    parseParams(spec, params);
  } catch (error) {
    assert.ok(error instanceof JsonRpcError, String(error));
    assert.equal(error.code, JSON_RPC_CODE.invalidParams);
    return error.message;
  }
  return assert.fail('they were taken');
}

describe('the parameters of a call', () => {
  it('are taken by name, whatever their order, and by position', () => {
    assert.deepEqual(parseParams(SPEC, GOOD), GOOD);
    assert.deepEqual(parseParams(SPEC, Object.fromEntries(Object.entries(GOOD).reverse())), GOOD);
    assert.deepEqual(parseParams(SPEC, Object.values(GOOD)), GOOD);
  });

  it('may be left out where there are none', () => {
    for (const none of [undefined, {}, []]) assert.deepEqual(parseParams({}, none), {});
  });

  it('lose the control characters of a text, not its lines and tabs, and half characters are shown as such', () => {
    const text = 'a\u0000\u001b\n\r\t\uD800b';
    assert.deepEqual(parse({ text }), { ...GOOD, text: 'a\n\r\t\uFFFDb' });
  });

  it('have a hash in lower case', () => {
    assert.deepEqual(parse({ hash: HASH.toUpperCase() }), GOOD);
  });

  it('have a text of as many bytes as it may have, counted as UTF-8', () => {
    assert.deepEqual(parse({ text: 'ééééé' }), { ...GOOD, text: 'ééééé' });
    assert.match(
      refusalOf({ ...GOOD, text: 'éééééx' }),
      /^invalid params: "text" has 11 bytes, at most 10 are taken: shorten it$/,
    );
  });

  const refusals: [what: string, params: unknown, why: RegExp][] = [
    ['one that is not known', { ...GOOD, more: 1 }, /unknown parameter "more"$/],
    ['a long name that is not known', { ...GOOD, ['x'.repeat(99)]: 1 }, /unknown parameter "x{40}"$/],
    ['none at all', undefined, /parameter "number" is missing$/],
    ['one too few', { number: 1 }, /parameter "text" is missing$/],
    ['one too few, by position', [1], /parameter "text" is missing$/],
    ['one too many, by position', [...Object.values(GOOD), 1], /at most 5 parameters$/],
    ['what is no structure', 'number', /parameter "number" is missing$/],
    ['a number in quotes', { ...GOOD, number: '12' }, /"number" must be a whole number from 1 to 2\^53 - 1/],
    ['a number that is left empty', { ...GOOD, number: undefined }, /"number" must be a whole number/],
    ['a text that is none', { ...GOOD, text: 5 }, /"text" must be a string$/],
    ['an empty text', { ...GOOD, text: '' }, /"text" must not be empty$/],
    ['a text of what is not seen', { ...GOOD, text: ' \n\u0007' }, /"text" must not be empty$/],
    ['another choice', { ...GOOD, status: 'fine' }, /"status" must be one of: good, bad$/],
    ['a choice that is no word', { ...GOOD, status: ['good'] }, /"status" must be one of/],
    ['a hash that is too short', { ...GOOD, hash: HASH.slice(1) }, /"hash" must be a SHA-256, 64/],
    ['a hash in a list', { ...GOOD, hash: [HASH] }, /"hash" must be a SHA-256/],
  ];
  for (const [what, params, why] of refusals) {
    it(`are refused with the reason: ${what}`, () => {
      const message = refusalOf(params);
      assert.match(message, /^invalid params: /);
      assert.match(message, why);
    });
  }

  it('are not looked for in what every object has', () => {
    const spec = { constructor: { type: 'number', description: '' } } as const;
    assert.match(refusalOf({}, spec), /parameter "constructor" is missing/);
  });

  it('are described as JSON Schema, each required and no others allowed', () => {
    assert.deepEqual(jsonSchemaOf(SPEC), {
      type: 'object',
      properties: {
        number: { type: 'integer', minimum: 1, maximum: 2 ** 53 - 1, description: 'Which one.' },
        text: { type: 'string', minLength: 1, maxLength: 10, description: 'What. At most 10 bytes.' },
        note: { type: 'string', minLength: 0, maxLength: 10, description: 'More. At most 10 bytes.' },
        status: { type: 'string', enum: ['good', 'bad'], description: 'How.' },
        hash: { type: 'string', pattern: '^[0-9a-fA-F]{64}$', description: 'Of what.' },
      },
      required: ['number', 'text', 'note', 'status', 'hash'],
      additionalProperties: false,
    });
  });
});
