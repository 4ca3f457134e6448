import assert from 'node:assert/strict';
import type { ModelRule, Route } from '../../../../src/domain/egress/route.js';
import { effectOf } from '../../../../src/domain/supervise/change-effect.js';
import { readChange, type ConfigChange } from '../../../../src/domain/supervise/config-change.js';
import { routeTo } from '../../../support/egress/egress-here.js';

function route(name: string, upstream = `https://${name}.example.org`, model: Route['model'] = null): Route {
  return routeTo(upstream, { name, methods: ['GET'], model });
}

const routesFile = (...routes: readonly Route[]): string => JSON.stringify({ routes });
const effectOn = (currentFile: string, change: ConfigChange): readonly string[] =>
  effectOf({ change, currentFile });

describe('what the operator is shown of a change', () => {
  it('are the hosts, and which secret goes where', () => {
    const withSecret = {
      ...route('api'),
      auth: { header: 'authorization', prefix: 'Bearer ', secret: 'api-key' },
    };
    const current = routesFile(route('one'), route('two'));
    const read = readChange('cred-proxy-block', current, routesFile(route('two'), withSecret));
    assert.ok(read.kind === 'change');
    assert.deepEqual(effectOn(current, read.change), [
      'route api: GET / at https://api.example.org, with the secret "api-key" in the header authorization',
      'no route one any more',
    ]);
    assert.deepEqual(effectOn('', { kind: 'allowlist', add: ['*.x.org'], remove: ['y.org'] }), [
      'may connect to *.x.org',
      'may no longer connect to y.org',
    ]);
  });

  it('are all methods and paths of a route, and that it has no secret', () => {
    const open = { ...route('api'), methods: ['GET', 'POST'] as const, paths: ['/v1/', '/v2/'] };
    assert.deepEqual(effectOn(routesFile(), { kind: 'routes', set: [open], remove: [] }), [
      'route api: GET, POST /v1/, /v2/ at https://api.example.org, without a secret',
    ]);
  });
});

describe('what the operator is shown of a route to models', () => {
  const rule: ModelRule = {
    ...{ api: 'anthropic-messages', models: ['claude-*', 'x'], maxOutputTokens: 8_000, allow: [] },
  };
  const effect = (
    set: Route,
    { current = [], modelHosts }: { current?: readonly Route[]; modelHosts?: readonly string[] } = {},
  ): string => {
    const change = { kind: 'routes', set: [set], remove: [] } as const;
    const shown = { change, currentFile: routesFile(...current) };
    return effectOf(modelHosts === undefined ? shown : { ...shown, modelHosts })[0] ?? '';
  };
  const UNREAD = /, WHERE CALLS OF MODELS ARE NOT READ OR METERED: no limit and no budget holds there$/;

  it('are its models, its limit and what the provider may do on its own machines', () => {
    const open = { ...rule, allow: ['server_tools', 'files'] } satisfies ModelRule;
    assert.match(
      effect(route('m', 'https://api.anthropic.com', open)),
      /, to the models claude-\*, x with 8000 tokens of output, and server_tools, files$/,
    );
    const gateway = { modelHosts: ['m.example'] };
    assert.match(
      effect(route('m', 'https://m.example', rule), gateway),
      /, to the models claude-\*, x with 8000 tokens of output$/,
    );
  });

  it('is that nothing is read or metered, where one leads to a vendor without saying that it is one', () => {
    for (const upstream of ['https://api.anthropic.com', 'https://eu.api.openai.com/v1'])
      assert.match(effect(route('m', upstream)), UNREAD);
    assert.match(effect(route('m', 'https://notapi.openai.com')), /without a secret$/);
  });

  it('is the same where it leads to what the settings have in place of a vendor, at whatever port or path', () => {
    const gateway = { modelHosts: ['llm.lan.example', '10.0.0.5'] };
    for (const upstream of [
      'https://llm.lan.example',
      'https://llm.lan.example:8443/v1',
      'https://a.llm.lan.example',
      'http://10.0.0.5:4000',
    ])
      assert.match(effect(route('m', upstream), gateway), UNREAD, upstream);
    for (const upstream of ['https://lan.example', 'https://notllm.lan.example', 'http://10.0.0.50'])
      assert.match(effect(route('m', upstream), gateway), /without a secret$/, upstream);
  });

  it('is the same where a route that the bottle has leads there and is metered', () => {
    const current = [
      route('openai', 'https://gateway.example/v1', rule),
      route('npm', 'https://npm.example'),
    ];
    assert.match(effect(route('other', 'https://gateway.example/v2'), { current }), UNREAD);
    assert.match(effect(route('other', 'https://npm.example'), { current }), /without a secret$/);
  });

  it('is the same of a route that was metered until then, wherever it leads now', () => {
    const current = [route('m', 'https://gateway.example', rule)];
    assert.match(effect(route('m', 'https://gateway.example'), { current }), UNREAD);
    assert.match(effect(route('m', 'https://elsewhere.example'), { current }), UNREAD);
  });
});

describe('a host that takes uploads', () => {
  const marked = (add: string): boolean =>
    (effectOn('', { kind: 'allowlist', add: [add], remove: [] })[0] ?? '').includes('TAKES UPLOADS');

  it('is marked for the operator, with a port, below a name and as a wildcard too', () => {
    for (const line of [
      'pastebin.com',
      'gist.github.com:443',
      '*.s3.amazonaws.com',
      'api.dropboxapi.com ech',
    ])
      assert.ok(marked(line), line);
    for (const line of ['notgithub.com', 'docs.example.org', 'github.com.example.org'])
      assert.ok(!marked(line), line);
  });
});
