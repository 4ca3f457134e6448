import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readJson } from '../../../../../src/bundle/egress/model/json-body.js';
import { checkRequest, type CheckedRequest } from '../../../../../src/bundle/egress/model/request-rules.js';
import { MODEL_APIS, MODEL_FEATURES, type ModelRule } from '../../../../../src/domain/egress/route.js';

const CAP = 1000;
const anthropic: ModelRule = {
  ...{
    api: 'anthropic-messages',
    models: ['claude-opus-*', 'claude-haiku-4-5'],
    maxOutputTokens: CAP,
    allow: [],
  },
};
const responses: ModelRule = { ...anthropic, api: 'openai-responses', models: ['gpt-5*'] };
const chat: ModelRule = { ...responses, api: 'openai-chat' };

/** As it would come: through text. */
function check(body: unknown, rule: ModelRule): CheckedRequest {
  const read = readJson(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  assert.ok(read.kind === 'object', read.kind === 'refused' ? read.why : '');
  return checkRequest(read.value, rule);
}

const user = (content: unknown): unknown => ({ messages: [{ role: 'user', content }] });
const claude = (more: unknown): unknown => ({
  ...{ model: 'claude-opus-5', max_tokens: 10, messages: [] },
  ...(more as object),
});
const gpt = (more: unknown): unknown => ({ model: 'gpt-5', input: [], store: false, ...(more as object) });
const talk = (more: unknown): unknown => ({ model: 'gpt-5', messages: [], ...(more as object) });
const said = (part: unknown): unknown => ({ input: [{ type: 'message', role: 'user', content: [part] }] });

describe('what a request to a model may ask for', () => {
  const refused: readonly (readonly [string, unknown, ModelRule, RegExp])[] = [
    [
      'another model',
      claude({ model: 'claude-sonnet-5' }),
      anthropic,
      /"claude-sonnet-5" is not allowed here; allowed: claude-opus-\*, claude-haiku-4-5$/,
    ],
    ['a model whose name goes on', claude({ model: 'claude-haiku-4-5-x' }), anthropic, /is not allowed/],
    ['another model in other letters', claude({ model: 'CLAUDE-opus-5' }), anthropic, /is not allowed/],
    [
      'the provider’s search',
      claude({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
      anthropic,
      /"web_search_20250305" is not allowed here \(server_tools; nothing of the kind is allowed\)/,
    ],
    [
      'the provider’s fetch',
      claude({ tools: [{ name: 'a' }, { type: 'web_fetch_20260318' }] }),
      anthropic,
      /server_tools/,
    ],
    [
      'the provider’s machine',
      claude({ tools: [{ type: 'code_execution_20260521' }] }),
      anthropic,
      /server_tools/,
    ],
    [
      'another model behind a tool',
      claude({ tools: [{ type: 'advisor_20260301', model: 'claude-x' }] }),
      anthropic,
      /server_tools/,
    ],
    [
      'a tool that nobody knows yet',
      claude({ tools: [{ type: 'teleport_20300101' }] }),
      anthropic,
      /server_tools/,
    ],
    [
      'a tool whose type is a trick',
      claude({ tools: [{ type: 'bash_20250124\nweb_search' }] }),
      anthropic,
      /server_tools/,
    ],
    ['a tool whose type is no text', claude({ tools: [{ type: ['custom'] }] }), anthropic, /server_tools/],
    ['a container', claude({ container: 'container_1' }), anthropic, /"container"/],
    [
      'skills in a container',
      claude({ container: { skills: [{ skill_id: 'x' }] } }),
      anthropic,
      /"container"/,
    ],
    [
      'remote MCP servers',
      claude({ mcp_servers: [{ type: 'url', url: 'https://x' }] }),
      anthropic,
      /remote_mcp/,
    ],
    ['a remote toolset', claude({ tools: [{ type: 'mcp_toolset' }] }), anthropic, /remote_mcp/],
    [
      'an image at a URL',
      claude(user([{ type: 'image', source: { type: 'url', url: 'https://x' } }])),
      anthropic,
      /url_sources/,
    ],
    [
      'a URL under another type',
      claude(user([{ type: 'image', source: { type: 'base64', url: 'https://x' } }])),
      anthropic,
      /url_sources/,
    ],
    [
      'a document at a URL in a tool’s result',
      claude(user([{ type: 'tool_result', content: [{ type: 'document', source: { type: 'url' } }] }])),
      anthropic,
      /url_sources/,
    ],
    [
      'an image at a URL in a document',
      claude(
        user([
          {
            type: 'document',
            source: { type: 'content', content: [{ type: 'image', source: { type: 'url' } }] },
          },
        ]),
      ),
      anthropic,
      /url_sources/,
    ],
    [
      'a URL among what the system says',
      claude({ system: [{ type: 'text', source: { type: 'url' } }] }),
      anthropic,
      /url_sources/,
    ],
    [
      'a file',
      claude(user([{ type: 'image', source: { type: 'file', file_id: 'file_1' } }])),
      anthropic,
      /\(files;/,
    ],
    ['an upload', claude(user([{ type: 'container_upload', file_id: 'file_1' }])), anthropic, /\(files;/],
    [
      'tools in the middle of it',
      claude(user([{ type: 'x', tools: [{ type: 'web_search_20250305' }] }])),
      anthropic,
      /server_tools/,
    ],
    [
      'a fallback to another model',
      claude({ fallbacks: [{ model: 'claude-sonnet-5' }] }),
      anthropic,
      /"claude-sonnet-5" is not allowed/,
    ],
    ['whatever fallback', claude({ fallbacks: 'default' }), anthropic, /"claude-" is not allowed/],
    ['the web search of OpenAI', gpt({ tools: [{ type: 'web_search' }] }), responses, /server_tools/],
    [
      'a search that is not live',
      gpt({ tools: [{ type: 'web_search', external_web_access: false }] }),
      responses,
      /server_tools/,
    ],
    ['a search of files', gpt({ tools: [{ type: 'file_search' }] }), responses, /server_tools/],
    [
      'an interpreter',
      gpt({ tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }),
      responses,
      /server_tools/,
    ],
    ['images', gpt({ tools: [{ type: 'image_generation' }] }), responses, /server_tools/],
    ['a computer', gpt({ tools: [{ type: 'computer_use_preview' }] }), responses, /server_tools/],
    [
      'a hosted shell',
      gpt({ tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }),
      responses,
      /server_tools/,
    ],
    ['a shell that does not say where', gpt({ tools: [{ type: 'shell' }] }), responses, /server_tools/],
    ['remote MCP', gpt({ tools: [{ type: 'mcp', server_url: 'https://x' }] }), responses, /remote_mcp/],
    [
      'a connector',
      gpt({ tools: [{ type: 'mcp', connector_id: 'connector_gmail' }] }),
      responses,
      /remote_mcp/,
    ],
    ['a tool without a type', gpt({ tools: [{ name: 'x' }] }), responses, /server_tools/],
    [
      'a search within a group of tools',
      gpt({ tools: [{ type: 'namespace', tools: [{ type: 'web_search' }] }] }),
      responses,
      /server_tools/,
    ],
    ['a model that always searches', talk({ model: 'gpt-5-Search-preview' }), chat, /server_tools/],
    [
      'a group of tools within a group',
      gpt({ tools: [{ type: 'namespace', tools: [{ type: 'namespace', tools: [] }] }] }),
      responses,
      /"namespace in a namespace" is not allowed here \(server_tools;/,
    ],
    [
      'tools that were found',
      gpt({ input: [{ type: 'tool_search_output', tools: [{ type: 'mcp' }] }] }),
      responses,
      /remote_mcp/,
    ],
    ['work in the background', gpt({ background: true }), responses, /\(background;/],
    ['to be kept', gpt({ store: true }), responses, /\(store;/],
    ['to be kept, said in another way', gpt({ store: 'true' }), responses, /\(store;/],
    ['what was kept', gpt({ previous_response_id: 'resp_1' }), responses, /\(store;/],
    ['a conversation that is kept', gpt({ conversation: 'conv_1' }), responses, /\(store;/],
    ['an item that is kept', gpt({ input: [{ type: 'item_reference', id: 'x' }] }), responses, /\(store;/],
    ['a prompt that is kept', gpt({ prompt: { id: 'pmpt_1' } }), responses, /"prompt"/],
    [
      'an image at a URL of OpenAI',
      gpt(said({ type: 'input_image', image_url: 'https://x/y.png' })),
      responses,
      /url_sources/,
    ],
    [
      'an image at a URL in capitals',
      gpt(said({ type: 'input_image', image_url: 'HTTPS://x' })),
      responses,
      /url_sources/,
    ],
    ['a file at a URL', gpt(said({ type: 'input_file', file_url: 'https://x' })), responses, /url_sources/],
    ['a file of OpenAI', gpt(said({ type: 'input_file', file_id: 'file-1' })), responses, /\(files;/],
    [
      'an image in a tool’s output',
      gpt({
        input: [{ type: 'function_call_output', output: [{ type: 'input_image', image_url: 'http://x' }] }],
      }),
      responses,
      /url_sources/,
    ],
    [
      'an image in a chat',
      talk(user([{ type: 'image_url', image_url: { url: 'https://x' } }])),
      chat,
      /url_sources/,
    ],
    ...['video_url', 'audio_url', 'document_url', 'Image_URL', 'file_url'].flatMap((key) =>
      [{ url: 'https://x' }, 'https://x'].map((value): (typeof refused)[number] => [
        `a ${key} in a chat, as ${typeof value}`,
        talk(user([{ type: key, [key]: value }])),
        chat,
        /url_sources/,
      ]),
    ),
    ['a file in a chat', talk(user([{ type: 'file', file: { file_id: 'file-1' } }])), chat, /\(files;/],
    ['the search of a chat', talk({ web_search_options: {} }), chat, /server_tools/],
    ['a hosted tool in a chat', talk({ tools: [{ type: 'web_search' }] }), chat, /server_tools/],
    ['a chat to be kept', talk({ store: true }), chat, /\(store;/],
  ];
  for (const [what, body, rule, why] of refused)
    it(`is not ${what}`, () => {
      const checked = check(body, rule);
      assert.ok(checked.kind === 'refused', 'allowed');
      assert.equal(checked.status, 403);
      assert.match(checked.why, why);
    });

  it('is all of it where the route says so', () => {
    for (const [what, body, rule] of refused) {
      const open = { ...rule, models: ['*'], allow: [...MODEL_FEATURES] };
      assert.equal(check(body, open).kind, 'allowed', what);
    }
  });

  const malformed: readonly (readonly [string, unknown, ModelRule, RegExp])[] = [
    ['no model', { messages: [] }, anthropic, /no "model"/],
    ['a list for a model', claude({ model: ['claude-opus-5'] }), anthropic, /no "model"/],
    [
      'tools that are no list',
      claude({ tools: { type: 'web_search' } }),
      anthropic,
      /"tools" must be a list/,
    ],
    ['a tool that is a text', gpt({ tools: ['web_search'] }), responses, /"tools" must be a list/],
    [
      'a key in capitals beside the real one',
      gpt({ Store: true }),
      responses,
      /"Store" is not of small letters a-z/,
    ],
    [
      'a tool’s key in capitals',
      claude({ tools: [{ type: 'custom', Type: 'web_search_20250305' }] }),
      anthropic,
      /"Type" is not/,
    ],
    ['a text for a number', claude({ max_tokens: '10' }), anthropic, /"max_tokens" must be a whole/],
    ['half a token', gpt({ max_output_tokens: 0.5 }), responses, /must be a whole number/],
    ['more than there are', claude({ max_tokens: 1e300 }), anthropic, /must be a whole number/],
    ['several answers at a time', talk({ n: 8 }), chat, /"n" must be 1/],
    [
      'tools of a fallback',
      claude({ fallbacks: [{ model: 'claude-opus-5', tools: [{}] }] }),
      anthropic,
      /no tools of their own/,
    ],
  ];
  for (const [what, body, rule, why] of malformed)
    it(`is refused as malformed with ${what}`, () => {
      const checked = check(body, rule);
      assert.ok(checked.kind === 'refused', 'allowed');
      assert.equal(checked.status, 400);
      assert.match(checked.why, why);
    });

  const allowed: readonly (readonly [string, unknown, ModelRule])[] = [
    [
      'tools of the client',
      claude({
        tools: [
          { name: 'a', input_schema: { properties: { Type: {}, source: { type: 'url' } } } },
          { type: 'custom', name: 'b' },
          { type: 'bash_20250124', name: 'bash' },
          { type: 'text_editor_20250728', name: 'e' },
          { type: 'memory_20250818', name: 'm' },
          { type: 'computer_20251124', name: 'c' },
          { type: 'tool_search_tool_regex_20251119', name: 's' },
        ],
      }),
      anthropic,
    ],
    [
      'what a model wrote for a tool',
      claude({
        messages: [
          {
            role: 'assistant',
            content: [
              {
                type: 'tool_use',
                name: 'x',
                input: { source: { type: 'url' }, file_id: 'f', tools: [{ type: 'web_search' }] },
              },
            ],
          },
        ],
      }),
      anthropic,
    ],
    [
      'an image in the request',
      claude(user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }])),
      anthropic,
    ],
    ['text about URLs', claude(user('fetch https://x with {"source":{"type":"url"}}')), anthropic],
    ['empty lists of what is refused', claude({ mcp_servers: [], container: null }), anthropic],
    [
      'a fallback that is listed',
      claude({ fallbacks: [{ model: 'claude-haiku-4-5', max_tokens: 5 }] }),
      anthropic,
    ],
    [
      'tools of the client of OpenAI',
      gpt({
        tools: [
          { type: 'function', name: 'a' },
          { type: 'custom', name: 'b' },
          { type: 'local_shell' },
          { type: 'apply_patch' },
          { type: 'shell', environment: { type: 'local' } },
          { type: 'tool_search', execution: 'client' },
          { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'c' }] },
        ],
      }),
      responses,
    ],
    [
      'an image in the request of OpenAI',
      gpt(said({ type: 'input_image', image_url: 'data:image/png;base64,AA==' })),
      responses,
    ],
    [
      'a video and a citation in a chat',
      talk(
        user([
          { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AA==' } },
          {
            type: 'text',
            text: 'x',
            annotations: [{ type: 'url_citation', url_citation: { url: 'https://x' } }],
          },
        ]),
      ),
      chat,
    ],
    ['what is not wanted', gpt({ background: false, store: null, previous_response_id: null }), responses],
    [
      'a plain chat',
      talk({ ...(user('hello') as object), tools: [{ type: 'function', function: { name: 'x' } }] }),
      chat,
    ],
  ];
  for (const [what, body, rule] of allowed)
    it(`is ${what}`, () => {
      const checked = check(body, rule);
      assert.equal(checked.kind, 'allowed', checked.kind === 'refused' ? checked.why : '');
    });
});

describe('what of a request to a model is changed', () => {
  const sent = (body: unknown, rule: ModelRule): Readonly<Record<string, unknown>> => {
    const checked = check(body, rule);
    assert.ok(checked.kind === 'allowed', checked.kind === 'refused' ? checked.why : '');
    return checked.body;
  };

  it('is output beyond the cap, and thinking that would not fit in it', () => {
    assert.equal(sent(claude({ max_tokens: CAP + 1 }), anthropic)['max_tokens'], CAP);
    assert.equal(sent(claude({ max_tokens: 7 }), anthropic)['max_tokens'], 7);
    const wide = { ...anthropic, maxOutputTokens: 8000 };
    const thinking = { type: 'enabled', budget_tokens: 20_000 };
    assert.deepEqual(sent(claude({ max_tokens: 32_000, thinking }), wide)['thinking'], {
      ...thinking,
      budget_tokens: 7999,
    });
    const fallbacks = [{ model: 'claude-opus-5', max_tokens: 99_999 }];
    assert.deepEqual(sent(claude({ fallbacks }), anthropic)['fallbacks'], [
      { model: 'claude-opus-5', max_tokens: CAP },
    ]);
    assert.equal(sent(gpt({ max_output_tokens: 99_999 }), responses)['max_output_tokens'], CAP);
    assert.equal(sent(talk({ max_tokens: 99_999 }), chat)['max_tokens'], CAP);
  });

  it('is output without a cap of its own', () => {
    assert.equal(sent(gpt({}), responses)['max_output_tokens'], CAP);
    assert.equal(sent(gpt({ max_output_tokens: null }), responses)['max_output_tokens'], CAP);
    assert.equal(sent(talk({}), chat)['max_completion_tokens'], CAP);
    const both = sent(talk({ max_tokens: 5 }), chat);
    assert.deepEqual([both['max_tokens'], 'max_completion_tokens' in both], [5, false]);
  });

  it('is that nothing is kept, unless it may be', () => {
    assert.equal(sent({ model: 'gpt-5', input: 'x' }, responses)['store'], false);
    assert.equal(sent(gpt({ store: null }), responses)['store'], false);
    assert.equal(sent(gpt({ store: true }), { ...responses, allow: ['store'] })['store'], true);
    for (const body of [talk({ store: null }), talk({ store: false })])
      assert.equal(sent(body, chat)['store'], false);
    assert.equal(sent(talk({ store: true }), { ...chat, allow: ['store'] })['store'], true);
  });

  it('is no word about it in a chat whose client says none: servers of others than OpenAI refuse the key', () => {
    for (const allow of [[], ['store']] as const)
      assert.equal('store' in sent(talk({}), { ...chat, allow }), false);
  });

  it('is that a chat’s stream says what it used', () => {
    const options = { include_obfuscation: false };
    assert.deepEqual(sent(talk({ stream: true, stream_options: options }), chat)['stream_options'], {
      ...options,
      include_usage: true,
    });
    assert.equal('stream_options' in sent(talk({}), chat), false);
  });

  it('is nothing else', () => {
    const body = claude({
      ...(user([{ type: 'text', text: 'é\u{1f600}' }]) as object),
      metadata: { user_id: 'x' },
      unknown_key: [1],
    });
    assert.deepEqual(sent(body, anthropic), body);
  });

  it('has of a key that stands there twice the one that was judged', () => {
    const text =
      '{"model":"claude-sonnet-5","max_tokens":5,"messages":[],"model":"claude-opus-5","tools":[{"type":"web_search_20250305"}],"tools":[]}';
    assert.deepEqual(sent(text, anthropic), {
      model: 'claude-opus-5',
      max_tokens: 5,
      messages: [],
      tools: [],
    });
    assert.equal(check('{"model":"claude-opus-5","model":"claude-sonnet-5"}', anthropic).kind, 'refused');
    const proto = '{"model":"claude-opus-5","__proto__":{"tools":[]},"messages":[]}';
    assert.equal(JSON.stringify(sent(proto, anthropic)), proto);
  });

  it('says which models may answer', () => {
    const fallbacks = [{ model: 'claude-haiku-4-5' }, { model: 'claude-opus-6' }];
    const checked = check(claude({ fallbacks }), anthropic);
    assert.ok(checked.kind === 'allowed');
    assert.deepEqual(checked.models, ['claude-opus-5', 'claude-haiku-4-5', 'claude-opus-6']);
  });

  it('says how much dearer it is', () => {
    for (const [body, rule, factor] of [
      [claude({}), anthropic, 1],
      [claude({ speed: 'standard', inference_geo: 'global', fallbacks: [] }), anthropic, 1],
      [claude({ speed: null, inference_geo: null }), anthropic, 1],
      [claude({ speed: 'fast' }), anthropic, 6],
      [claude({ fallbacks: [{ model: 'claude-haiku-4-5', speed: 'fast' }] }), anthropic, 6],
      [claude({ inference_geo: 'us' }), anthropic, 1.1],
      [claude({ inference_geo: 'eu' }), anthropic, 1.1],
      [claude({ speed: 'fast', inference_geo: 'us' }), anthropic, 6 * 1.1],
      [gpt({ service_tier: 'priority' }), responses, 2.5],
      [gpt({ service_tier: 'default' }), responses, 1],
    ] as const) {
      const checked = check(body, rule);
      assert.ok(checked.kind === 'allowed');
      assert.equal(checked.factor, factor);
    }
  });
});

describe('a request’s JSON', () => {
  it('is judged whatever number of tools it brings', () => {
    const tools = Array.from({ length: 200_000 }, () => ({ type: 'x' }));
    const rule: ModelRule = { ...anthropic, allow: ['server_tools'] };
    assert.equal(check(claude({ messages: [{ role: 'user', tools }] }), rule).kind, 'allowed');
  });

  it('never makes a rule throw, whatever it is', () => {
    const odd = fc.oneof(
      fc.anything({ maxDepth: 3 }),
      fc.constantFrom('web_search', 'mcp', 'claude-opus-5', null),
    );
    const record = fc.record(
      Object.fromEntries(
        [
          'messages',
          'system',
          'tools',
          'input',
          'thinking',
          'fallbacks',
          'store',
          'stream_options',
          'container',
        ].map((key) => [key, odd]),
      ),
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(record, fc.constantFrom(...MODEL_APIS), (body, api) => {
        const text = JSON.stringify({ ...body, model: 'claude-opus-5' });
        const read = readJson(Buffer.from(text));
        if (read.kind === 'object') checkRequest(read.value, { ...anthropic, api });
      }),
      { numRuns: 2000 },
    );
  });
});
