import assert from 'node:assert/strict';
import { absoluteTarget, connectTarget } from '../../../../../src/bundle/egress/forward/target.js';

describe('what a client asks the forward proxy for', () => {
  const tunnels: [authority: string, target: ReturnType<typeof connectTarget>][] = [
    ['Example.ORG:443', { host: 'example.org', port: 443 }],
    ['example.org:1', { host: 'example.org', port: 1 }],
    ['example.org:65535', { host: 'example.org', port: 65_535 }],
    ['example.org:65536', undefined],
    ['example.org:0', undefined],
    ['example.org:0443', undefined],
    ['example.org', undefined],
    [':443', undefined],
    ['user@example.org:443', undefined],
    ['example.org:443/', undefined],
    [' example.org:443', undefined],
    ['', undefined],
  ];
  for (const [authority, target] of tunnels)
    it(`is ${target === undefined ? 'nothing' : JSON.stringify(target)} by CONNECT ${authority}`, () => {
      assert.deepEqual(connectTarget(authority), target);
    });

  const requests: [url: string, target: ReturnType<typeof absoluteTarget>][] = [
    ['http://Example.org', { host: 'example.org', port: 80, path: '/' }],
    ['HTTP://example.org:81/a?b', { host: 'example.org', port: 81, path: '/a?b' }],
    ['http://example.org?b/', { host: 'example.org', port: 80, path: '/?b/' }],
    ['http://example.org:70000/', undefined],
    ['http://u@example.org/', undefined],
    ['http://example.org/a b', undefined],
    ['http://example.org/#a', undefined],
    ['https://example.org/', undefined],
    ['xhttp://example.org/', undefined],
    ['/a', undefined],
  ];
  for (const [url, target] of requests)
    it(`is ${target === undefined ? 'nothing' : JSON.stringify(target)} by a request for ${url}`, () => {
      assert.deepEqual(absoluteTarget(url), target);
    });
});
