import assert from 'node:assert/strict';
import { egressEnv, wantsEgress } from '../../../../src/domain/egress/agent-env.js';
import { PLACEHOLDER_KEY, type Route } from '../../../../src/domain/egress/route.js';

const route: Route = {
  name: 'model',
  upstream: 'https://api.example.com',
  methods: ['POST'],
  paths: ['/'],
  auth: null,
  baseUrlEnv: 'MODEL_BASE_URL',
  keyEnv: 'MODEL_API_KEY',
  rewrite: false,
  model: null,
};

describe("the agent's environment", () => {
  it('has nothing of the proxies when its bottle allows nothing', () => {
    assert.deepEqual(egressEnv({ allow: [], routes: [] }), {});
    assert.equal(wantsEgress({ allow: [], routes: [] }), false);
    assert.equal(wantsEgress({ allow: ['a.org'], routes: [] }), true);
  });

  it('names the proxy in every spelling, the routes, and placeholders for their keys', () => {
    const env = egressEnv({
      allow: ['a.org'],
      routes: [route, { ...route, name: 'npm', baseUrlEnv: null, keyEnv: null }],
    });
    assert.deepEqual(env, {
      MODEL_BASE_URL: 'http://127.0.0.1:3129/model',
      MODEL_API_KEY: PLACEHOLDER_KEY,
      HTTP_PROXY: 'http://127.0.0.1:3128',
      HTTPS_PROXY: 'http://127.0.0.1:3128',
      http_proxy: 'http://127.0.0.1:3128',
      https_proxy: 'http://127.0.0.1:3128',
      NO_PROXY: '127.0.0.1,localhost,::1',
      no_proxy: '127.0.0.1,localhost,::1',
      NODE_USE_ENV_PROXY: '1',
    });
  });

  it('has the proxy for a bottle that only has routes: what is refused is refused at once', () => {
    assert.equal(egressEnv({ allow: [], routes: [route] })['HTTPS_PROXY'], 'http://127.0.0.1:3128');
  });
});
