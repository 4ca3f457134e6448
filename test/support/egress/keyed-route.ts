import assert from 'node:assert/strict';
import type http from 'node:http';
import type { RouteAuth } from '../../../src/domain/egress/route.js';
import { ask, type Answer } from './clients.js';
import { routeTo, withEgress, type EgressHere } from './egress-here.js';
import { httpUpstream, stopUpstreams } from './upstreams.js';

export const SECRET = 'sk-test/0123456789+abcdef==';
export const AUTH: RouteAuth = { header: 'x-api-key', prefix: '', secret: 'model-key' };

export interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The secret was there. */
  readonly key: boolean;
}

/** Answers what it was asked. */
export const echo: http.RequestListener = (request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.setHeader('content-type', 'application/octet-stream');
    response.end(
      JSON.stringify({
        method,
        url,
        headers: { ...headers, 'x-api-key': undefined },
        body,
        key: headers['x-api-key'] === SECRET,
      }),
    );
  });
};

/** For each test an egress plane, not started yet. */
export function withKeyedRoute(): {
  readonly egress: () => EgressHere;
  readonly get: (path: string, more?: Parameters<typeof ask>[2]) => Promise<Answer>;
  /** A route with a key to a server, and the plane started; answers to `/files/…`. */
  readonly keyed: (
    listener: http.RequestListener,
    more?: Parameters<typeof routeTo>[1],
    start?: Parameters<EgressHere['start']>[0],
  ) => Promise<string>;
  /** That the log has none in any form. */
  readonly noSecret: () => void;
} {
  const egress = withEgress();
  afterEach(stopUpstreams);
  return {
    egress,
    get: (path, more = {}) => ask(egress().credentials, path, more),
    keyed: async (listener, more = {}, start = {}) => {
      const { url } = await httpUpstream(listener);
      egress().routes(routeTo(url, { methods: ['GET', 'HEAD', 'POST', 'DELETE'], auth: AUTH, ...more }));
      egress().secret('model-key', SECRET);
      await egress().start(start);
      return url;
    },
    noSecret: () => {
      const text = JSON.stringify(egress().logged);
      for (const form of [SECRET, 'sk-test', Buffer.from(SECRET).toString('base64')])
        assert.ok(!text.includes(form), 'the log has the secret');
    },
  };
}
