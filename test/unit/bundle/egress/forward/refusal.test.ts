import assert from 'node:assert/strict';
import { readRouteRequest } from '../../../../../src/bundle/egress/credential/route-request.js';
import { REFUSED, refusalText, whyRefused } from '../../../../../src/bundle/egress/forward/refusal.js';
import { parseAllowlist } from '../../../../../src/domain/egress/allowlist.js';
import { parseRoutes } from '../../../../../src/domain/egress/routes.js';

const { entries } = parseAllowlist('example.org\napi.openai.com\n*.anthropic.com\n');
const routes = ((): Extract<ReturnType<typeof parseRoutes>, { kind: 'routes' }>['routes'] => {
  const route = { name: 'files', upstream: 'https://files.example', methods: ['GET'], paths: ['/a/'] };
  const read = parseRoutes(
    JSON.stringify({
      routes: [{ ...route, auth: null, baseUrlEnv: null, keyEnv: null, rewrite: false }],
    }),
  );
  return read.kind === 'routes' ? read.routes : assert.fail(read.problems.join());
})();

const textFor = (host: string): string => {
  const refused = whyRefused({ host, port: 443 }, { allow: entries, routes });
  return refusalText(refused ?? assert.fail(`${host} is allowed`));
};

describe('what an agent is told to ask for', () => {
  it('is a host that is not in the allowlist', () => {
    const text = textFor('other.example');
    assert.match(text, /not in this bottle's allowlist/);
    assert.match(text, /call the tool pipelock-block of the MCP server supervise/);
    assert.doesNotMatch(text, /cred-proxy-block/);
    assert.match(REFUSED, /call the tool pipelock-block of the MCP server supervise/);
    // It becomes a status line.
    assert.match(REFUSED, /^[\x20-\x7e]+$/);
  });

  it('is another route, for a host that has one: no allowlist leads there', () => {
    const text = textFor('files.example');
    assert.match(text, /through the route "files" only.*\n/);
    assert.match(text, /call the tool cred-proxy-block of the MCP server supervise/);
    assert.doesNotMatch(text, /pipelock-block/);
  });

  it('is a route, for a vendor of models, also where the allowlist has it', () => {
    for (const host of ['api.openai.com', 'api.anthropic.com', 'eu.api.openai.com']) {
      const text = textFor(host);
      assert.match(text, /a vendor of models, which is reached through a route only/);
      assert.match(text, /call the tool cred-proxy-block of the MCP server supervise/);
    }
  });

  it('is nothing where no file of the bottle would help', () => {
    const text = textFor('127.0.0.1');
    assert.doesNotMatch(text, /-block/);
    assert.match(text, /signal that you are done/);
    assert.equal(whyRefused({ host: 'example.org', port: 443 }, { allow: entries, routes }), undefined);
  });

  it('is a route, its method or its path, at the proxy that adds keys', () => {
    const why = (method: string, url: string, hasBody = false): string => {
      const read = readRouteRequest(method, url, hasBody, routes);
      return read.kind === 'refused' ? read.why : assert.fail(`${url} is allowed`);
    };
    const ask = /; to ask for it call the tool cred-proxy-block of the MCP server supervise$/;
    assert.match(why('GET', '/none/a/x'), ask);
    assert.match(why('POST', '/files/a/x'), ask);
    assert.match(why('GET', '/files/b'), ask);
    assert.doesNotMatch(why('GET', '/files/a/../b'), /cred-proxy-block/);
    assert.doesNotMatch(why('GET', '/files/a/x', true), /cred-proxy-block/);
  });
});
