import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkRequest, type CheckedRequest } from '../../../../../src/bundle/egress/model/request-rules.js';
import { MODEL_APIS, type ModelApi } from '../../../../../src/domain/egress/route.js';

const MODEL = 'm-1';
const check = (api: ModelApi, body: object): CheckedRequest =>
  checkRequest({ model: MODEL, ...body }, { api, models: [MODEL], maxOutputTokens: 1000, allow: [] });
const why = (api: ModelApi, body: object): string => {
  const checked = check(api, body);
  return checked.kind === 'refused' ? `${String(checked.status)} ${checked.why}` : 'allowed';
};

/** Forms of small letters that Go's encoding/json reads as these. */
const FOLDED: Readonly<Record<string, string>> = { s: 'ſ', k: '\u{212A}' };

/** A key in other letters that a server which folds them reads as the same. */
const otherwise = (key: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(key, (letter) => fc.constantFrom(letter, letter.toUpperCase(), FOLDED[letter] ?? letter)),
    )
    .map((letters) => letters.join(''))
    .filter((other) => other !== key);

/** What means something at the top of a request, in whatever dialect. */
const TOP = [
  ...['model', 'messages', 'system', 'input', 'tools', 'mcp_servers', 'container', 'fallbacks', 'thinking'],
  ...['max_tokens', 'max_output_tokens', 'max_completion_tokens', 'n', 'stream', 'stream_options', 'store'],
  ...['background', 'previous_response_id', 'conversation', 'prompt', 'web_search_options', 'speed'],
  ...['inference_geo', 'service_tier'],
];
const MALFORMED = /^400 the key ".*" is not of small letters a-z, digits and "_" alone$/;

describe('a key that some server reads as another one', () => {
  it('is refused at the top, whether the one that it is read as stands beside it or not', () => {
    for (const body of [
      { max_tokenſ: 999_999 },
      { max_tokens: 1, max_tokenſ: 999_999 },
      { toolſ: [{ type: 'web_search_20250305' }] },
      { mcp_ſerverſ: [{ type: 'url', url: 'https://x' }] },
      { ſtore: true },
      { bacKground: true },
      { 'max-tokens': 999_999 },
      { '': 1 },
    ])
      for (const api of MODEL_APIS) assert.match(why(api, body), MALFORMED);
  });

  it('is refused at the top in whatever letters', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TOP).chain(otherwise), fc.constantFrom(...MODEL_APIS), (key, api) => {
        assert.match(why(api, { [key]: 1 }), MALFORMED);
      }),
    );
  });

  it('is refused in tools, also in those of a group and of the middle of a conversation', () => {
    const odd = { type: 'function', name: 'x', Type: 'mcp' };
    assert.match(why('anthropic-messages', { tools: [{ name: 'x', mcp_ſerver: 1 }] }), MALFORMED);
    assert.match(why('openai-responses', { tools: [odd] }), MALFORMED);
    assert.match(why('openai-responses', { tools: [{ type: 'namespace', tools: [odd] }] }), MALFORMED);
    const local = { type: 'local', Type: 'container_auto' };
    assert.match(why('openai-responses', { tools: [{ type: 'shell', environment: local }] }), MALFORMED);
    for (const tools of ['tools', 'Tools', 'toolſ'])
      assert.match(why('openai-responses', { input: [{ type: 'x', [tools]: [odd] }] }), MALFORMED);
    assert.match(why('anthropic-messages', { fallbacks: [{ model: MODEL, max_tokenſ: 9 }] }), MALFORMED);
    const stream_options = { Include_usage: false };
    assert.match(why('openai-chat', { stream: true, stream_options }), MALFORMED);
  });

  const image = (source: object): object => ({ messages: [{ role: 'user', content: [source] }] });
  const inConversation: readonly (readonly [string, ModelApi, (key: string) => object, RegExp])[] = [
    [
      'source',
      'anthropic-messages',
      (key) => image({ type: 'image', [key]: { type: 'url' } }),
      /url_sources/,
    ],
    [
      'source',
      'anthropic-messages',
      (key) => image({ [key]: { url: 'https://x' }, source: { type: 'base64' } }),
      /url_sources/,
    ],
    [
      'url',
      'anthropic-messages',
      (key) => image({ source: { type: 'base64', [key]: 'https://x' } }),
      /url_sources/,
    ],
    ['type', 'anthropic-messages', (key) => image({ source: { [key]: 'file' } }), /\(files;/],
    ['file_id', 'anthropic-messages', (key) => image({ [key]: 'file_1' }), /\(files;/],
    ['type', 'anthropic-messages', (key) => image({ [key]: 'container_upload' }), /\(files;/],
    ['tools', 'anthropic-messages', (key) => image({ [key]: [{ type: 'mcp_toolset' }] }), /remote_mcp/],
    ['file_id', 'openai-responses', (key) => ({ input: [{ [key]: 'file-1' }] }), /\(files;/],
    ['type', 'openai-responses', (key) => ({ input: [{ [key]: 'item_reference' }] }), /\(store;/],
    ['image_url', 'openai-chat', (key) => image({ [key]: 'https://x' }), /url_sources/],
    ['url', 'openai-chat', (key) => image({ image_url: { [key]: 'https://x' } }), /url_sources/],
    [
      'url',
      'openai-chat',
      (key) => image({ image_url: { url: 'data:image/png;base64,AA==', [key]: 'https://x' } }),
      /url_sources/,
    ],
  ];
  for (const [key, api, body, asks] of inConversation)
    it(`asks in a conversation for what "${key}" asks for: ${JSON.stringify(body(key))}`, () => {
      fc.assert(
        fc.property(otherwise(key), (other) => {
          assert.match(why(api, body(other)), asks);
        }),
      );
    });
});

describe('keys of the client’s own', () => {
  const properties = { URL: {}, Type: {}, fileId: {}, 'x-y': {}, ſource: {}, Größe: {} };

  it('may be any in the schemas of tools', () => {
    const schema = { type: 'object', properties, $defs: properties, additionalProperties: false };
    const named = { name: 'x', description: 'y' };
    assert.equal(why('anthropic-messages', { tools: [{ ...named, input_schema: schema }] }), 'allowed');
    const tool = { type: 'function', ...named, parameters: schema, strict: false };
    assert.equal(why('openai-responses', { tools: [tool] }), 'allowed');
    const found = { type: 'tool_search_output', tools: [tool] };
    assert.equal(why('openai-responses', { input: [found] }), 'allowed');
    const chat = { type: 'function', function: { ...named, parameters: schema } };
    assert.equal(why('openai-chat', { tools: [chat] }), 'allowed');
  });

  it('may be any in what a tool is called with, and in metadata', () => {
    const call = {
      type: 'tool_use',
      id: 'x',
      name: 'y',
      input: { Source: { type: 'url' }, URL: 'https://x' },
    };
    assert.equal(
      why('anthropic-messages', { messages: [{ role: 'assistant', content: [call] }] }),
      'allowed',
    );
    const client_metadata = { 'x-codex-turn-metadata': '{}' };
    assert.equal(why('openai-responses', { input: [], client_metadata }), 'allowed');
    const shell = {
      type: 'local_shell_call',
      action: { type: 'exec', env: { PATH: '/bin', URL: 'https://x' } },
    };
    assert.equal(why('openai-responses', { input: [shell] }), 'allowed');
  });
});
