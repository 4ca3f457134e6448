import assert from 'node:assert/strict';
import type { EgressRules, Route } from '../../../../src/domain/egress/route.js';
import {
  forbiddenIn,
  ownRouteIn,
  readChange,
  routesIn,
  withChange,
  type ConfigChange,
} from '../../../../src/domain/supervise/config-change.js';
import { routeTo } from '../../../support/egress/egress-here.js';

function route(name: string, upstream = `https://${name}.example.org`): Route {
  return routeTo(upstream, { name, methods: ['GET'] });
}

const NOW: EgressRules = {
  allow: ['a.example.org', 'b.example.org:8443'],
  routes: [route('one'), route('two')],
};

function currentFile(tool: 'pipelock-block' | 'cred-proxy-block', { allow, routes } = NOW): string {
  return tool === 'pipelock-block' ? allow.join('\n') : JSON.stringify({ routes });
}

function changeOf(tool: 'pipelock-block' | 'cred-proxy-block', file: string, now = NOW): ConfigChange {
  const read = readChange(tool, currentFile(tool, now), file);
  assert.ok(read.kind === 'change', JSON.stringify(read));
  return read.change;
}

function problemsOf(tool: 'pipelock-block' | 'cred-proxy-block', file: string): readonly string[] {
  const read = readChange(tool, currentFile(tool), file);
  assert.ok(read.kind === 'problems');
  return read.problems;
}

const routesFile = (...routes: readonly Route[]): string => JSON.stringify({ routes });

describe('what a proposed allowlist changes', () => {
  it('is what it adds and what it lacks, however it is written', () => {
    const file = '# mine\nc.example.org # new\n a.example.org:443 \n';
    assert.deepEqual(changeOf('pipelock-block', file), {
      kind: 'allowlist',
      add: ['c.example.org'],
      remove: ['b.example.org:8443'],
    });
  });

  it('is nothing where a line is wrong: every one is named', () => {
    assert.deepEqual(problemsOf('pipelock-block', 'a.example.org\nhttp://x\n10.0.0.1\n').length, 2);
    assert.match(
      problemsOf('pipelock-block', 'a.example.org\n10.0.0.1\n')[0] ?? '',
      /^line 2: "10\.0\.0\.1"/,
    );
  });

  it('is nothing where it adds a vendor of models, which is reached through a route', () => {
    const file = 'a.example.org\napi.anthropic.com\n*.api.openai.com\n';
    assert.deepEqual(
      problemsOf('pipelock-block', file),
      ['api.anthropic.com', '*.api.openai.com'].map(
        (line) => `${line} leads to a vendor of models, which is reached through a route only`,
      ),
    );
    // One that is there already, of an older bottle, is no matter of this change; nothing leads there.
    const now = { ...NOW, allow: ['api.openai.com'] };
    changeOf('pipelock-block', 'api.openai.com\na.example.org\n', now);
  });

  it('is refused when it is the same', () => {
    assert.match(
      problemsOf('pipelock-block', 'b.example.org:8443\na.example.org\n')[0] ?? '',
      /changes nothing/,
    );
  });

  it('is something when a host is only taken away', () => {
    assert.deepEqual(changeOf('pipelock-block', 'a.example.org\n'), {
      kind: 'allowlist',
      add: [],
      remove: ['b.example.org:8443'],
    });
  });

  it('takes effect on what the list holds by then', () => {
    const change = changeOf('pipelock-block', 'a.example.org\nc.example.org\n');
    const since = { ...NOW, allow: [...NOW.allow, 'd.example.org'] };
    const then = withChange(since, change).allow;
    assert.deepEqual(then, ['a.example.org', 'd.example.org', 'c.example.org']);
    assert.deepEqual(withChange({ ...since, allow: then }, change).allow, then);
  });
});

describe('what proposed routes change', () => {
  it('is by their names: new ones, others, and those that are gone', () => {
    const moved = route('two', 'https://elsewhere.example.org');
    const change = changeOf('cred-proxy-block', routesFile(moved, route('three')));
    assert.deepEqual(change, { kind: 'routes', set: [moved, route('three')], remove: ['one'] });
    assert.deepEqual(
      withChange(NOW, change).routes.map(({ name, upstream }) => [name, upstream]),
      [
        ['two', 'https://elsewhere.example.org'],
        ['three', 'https://three.example.org'],
      ],
    );
  });

  it('leaves the records of other routes as they are', () => {
    const change = changeOf('cred-proxy-block', routesFile(...NOW.routes, route('three')));
    assert.equal(withChange(NOW, change).routes[0], NOW.routes[0]);
  });

  it('is nothing where it adds one that everybody on the way would read', () => {
    const [open, near] = [route('three', 'http://three.example.org'), route('four', 'http://10.0.0.4:8080')];
    assert.deepEqual(problemsOf('cred-proxy-block', routesFile(...NOW.routes, open, near)), [
      'route three: upstream must be https: http only to a loopback or private address',
    ]);
    // One that is there already is no matter of this change.
    const now = { ...NOW, routes: [open] };
    const change = changeOf('cred-proxy-block', routesFile(open, near), now);
    assert.deepEqual(change, { kind: 'routes', set: [near], remove: [] });
  });

  it('is nothing for what are no routes', () => {
    assert.deepEqual(problemsOf('cred-proxy-block', '{'), ['not JSON']);
    assert.match(
      problemsOf('cred-proxy-block', routesFile({ ...route('one'), methods: ['BREW'] }))[0] ?? '',
      /^routes\[0\]\.methods/,
    );
  });

  it('is every route that is proposed when the file before cannot be read', () => {
    assert.deepEqual(routesIn('{'), []);
  });

  it('names the first route that is nobody’s to change', () => {
    const change = changeOf('cred-proxy-block', routesFile(route('one', 'https://evil.example.org')));
    assert.equal(ownRouteIn(change, ['one']), 'one');
    assert.equal(ownRouteIn(change, ['two']), 'two');
    assert.equal(ownRouteIn(change, ['npm']), undefined);
    assert.equal(
      forbiddenIn(change, { ownRoutes: ['two'], isPublicSuffix: () => false }),
      'routes.json: route "two" belongs to every bottle of this kind, and cannot be changed',
    );
  });
});

describe('a change of an image', () => {
  it('leaves the hosts and the routes as they are', () => {
    assert.deepEqual(withChange(NOW, { kind: 'image', steps: ['RUN true'], network: true }), NOW);
  });
});

describe('a line below which anybody may have a host', () => {
  const tooWide = (...add: readonly string[]): string | null =>
    forbiddenIn(
      { kind: 'allowlist', add, remove: ['*.org.uk'] },
      { ownRoutes: ['npm'], isPublicSuffix: (host) => /^(?:co|org)\.uk$/.test(host) },
    );
  const why = (line: string): string => `allowlist: anybody may have a host below ${line}: name the hosts`;

  it('is named when a change adds it, with a port too', () => {
    assert.equal(tooWide('a.example.org', '*.co.uk', '*.org.uk'), why('*.co.uk'));
    assert.equal(tooWide('*.co.uk:8443'), why('*.co.uk:8443'));
  });

  it('is none that names one host, a domain of somebody’s or no host', () => {
    assert.equal(tooWide('co.uk', '*.example.org', 'no host name'), null);
  });

  it('is none in a change of routes', () => {
    const change = { kind: 'routes', set: [route('co.uk')], add: ['*.co.uk'], remove: [] } as const;
    assert.equal(forbiddenIn(change, { ownRoutes: ['npm'], isPublicSuffix: () => true }), null);
  });
});
