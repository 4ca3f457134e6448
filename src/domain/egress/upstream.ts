import type { Route } from './route.js';

export interface Upstream {
  readonly secure: boolean;
  /** Name or address, an IPv6 one without brackets. */
  readonly host: string;
  readonly port: number;
  /** Path that every request is below, without a slash at its end; often empty. */
  readonly base: string;
}

/** What a route's upstream says. @param upstream an URL as `readRoutes` lets through */
export function upstreamOf({ upstream }: Pick<Route, 'upstream'>): Upstream {
  const url = new URL(upstream);
  const secure = url.protocol === 'https:';
  return {
    secure,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    base: url.pathname.replace(/\/+$/, ''),
  };
}

/** `host:port`, as the operator binds secrets to it. */
export function upstreamAuthority(route: Pick<Route, 'upstream'>): string {
  const { host, port } = upstreamOf(route);
  return formatAuthority(host, port);
}

export function formatAuthority(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

/** The route that is the only way to a host: a CONNECT around it would have neither its lists nor its secret. */
export function routeOfHost(routes: readonly Route[], host: string): Route | undefined {
  return routes.find((route) => upstreamOf(route).host === host);
}
