export interface ListenAddress {
  /** Without brackets; `0.0.0.0` and `::` are all addresses. */
  readonly host: string;
  readonly port: number;
}

/** The origin at which a process of this machine reaches what listens there. */
export function originOf({ host, port }: ListenAddress): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${String(port)}`;
}
