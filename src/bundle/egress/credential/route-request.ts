import { isListedPath, whyNotPlainPath, whyNotPlainQuery } from '../../../domain/egress/plain-path.js';
import type { Route } from '../../../domain/egress/route.js';
import { callToAsk } from '../../../domain/supervise/how-to-ask.js';

export type RouteRequest =
  | {
      readonly kind: 'allowed';
      readonly route: Route;
      /** Below the upstream, with a slash before it. */
      readonly path: string;
      /** With its `?`, or empty. */
      readonly query: string;
    }
  | {
      readonly kind: 'refused';
      readonly status: 400 | 403;
      readonly why: string;
      readonly route: Route | undefined;
    };

/** Methods whose requests have no body here: a route that only reads must not carry anything up. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Each of these the operator may change. */
const TO_ASK = `to ask for it ${callToAsk('cred-proxy-block')}`;

/** What a request to the credential proxy asks for, judged before anything is sent. */
export function readRouteRequest(
  method: string,
  url: string,
  hasBody: boolean,
  routes: readonly Route[],
): RouteRequest {
  const [before = '', ...queries] = url.split('?');
  const query = queries.join('?');
  const refuse = (status: 400 | 403, why: string, route?: Route): RouteRequest => ({
    kind: 'refused',
    status,
    why,
    route,
  });
  const wrong = whyNotPlainPath(before);
  if (wrong !== undefined) return refuse(400, `the path ${wrong}`);
  const wrongQuery = whyNotPlainQuery(query);
  if (wrongQuery !== undefined) return refuse(400, `the query ${wrongQuery}`);
  const [, name = '', rest = ''] = /^\/([^/]*)(\/.*)?$/.exec(before) ?? [];
  const route = routes.find((known) => known.name === name);
  const path = rest === '' ? '/' : rest;
  if (route === undefined) {
    const names = routes.map((known) => known.name).join(', ');
    return refuse(403, `there is no such route; there are: ${names === '' ? 'none' : names}; ${TO_ASK}`);
  }
  if (!route.methods.includes(method))
    return refuse(403, `the method ${method} is not in this route's list; ${TO_ASK}`, route);
  if (!isListedPath(route.paths, path))
    return refuse(403, `the path is not in this route's list; ${TO_ASK}`, route);
  if (hasBody && WITHOUT_BODY.has(method)) return refuse(400, `a ${method} has no body here`, route);
  return { kind: 'allowed', route, path, query: url.includes('?') ? `?${query}` : '' };
}
