export interface Target {
  /** Lower case. */
  readonly host: string;
  readonly port: number;
}

const AUTHORITY = /^([^\s:@/?#\\[\]]+):([1-9][0-9]{0,4})$/;
const ABSOLUTE = /^http:\/\/([^\s:@/?#\\[\]]+)(?::([1-9][0-9]{0,4}))?((?:\/|\?)[^\s#\\]*)?$/i;

/** What a CONNECT asks for: `host:port`, nothing else. */
export function connectTarget(authority: string): Target | undefined {
  const [, host = '', port = ''] = AUTHORITY.exec(authority) ?? [];
  return targetOf(host, Number(port));
}

/** What a plain request asks for: `http://host[:port]/…`, without a user; the rest goes to the host as it is. */
export function absoluteTarget(url: string): (Target & { readonly path: string }) | undefined {
  const [, host = '', port = '80', path = '/'] = ABSOLUTE.exec(url) ?? [];
  const target = targetOf(host, Number(port));
  return target === undefined ? undefined : { ...target, path: path.startsWith('/') ? path : `/${path}` };
}

function targetOf(host: string, port: number): Target | undefined {
  return host === '' || !(port >= 1 && port <= 65_535) ? undefined : { host: host.toLowerCase(), port };
}
