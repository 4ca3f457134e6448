/** What went through the egress plane, for the record of a turn. */
export interface EgressTotals {
  /** Ascending by host and route. */
  readonly hosts: readonly HostTotals[];
  readonly refusals: readonly HostRefusals[];
}

export interface HostTotals {
  readonly host: string;
  /** The route that led there; `null` through the forward proxy. */
  readonly route: string | null;
  /** Connections of the forward proxy, requests of a route. */
  readonly connections: number;
  /** Bytes as they passed; of a route and of plain HTTP those of the bodies. */
  readonly bytesUp: number;
  readonly bytesDown: number;
}

export interface HostRefusals {
  readonly host: string;
  readonly count: number;
}

/** Hosts that have a line of their own; what comes after is counted under `OTHER_HOSTS`. */
export const MAX_TOTALS = 200;
export const OTHER_HOSTS = 'other';
export const NO_TOTALS: EgressTotals = { hosts: [], refusals: [] };

/** What went up through the forward proxy, bytes. What is counted under `OTHER_HOSTS` is taken for that, too. */
export function uploadedBytes({ hosts }: EgressTotals): number {
  return hosts.reduce((sum, { route, bytesUp }) => (route === null ? sum + bytesUp : sum), 0);
}

/** Adds up what several processes of one turn counted. */
export function sumTotals(all: readonly EgressTotals[]): EgressTotals {
  const hosts = new Map<string, HostTotals>();
  const refusals = new Map<string, HostRefusals>();
  for (const totals of all) {
    for (const host of totals.hosts) {
      const key = keyIn(hosts, `${host.host} ${host.route ?? ''}`);
      const named = key === OTHER_HOSTS ? { ...host, host: OTHER_HOSTS, route: null } : host;
      const known = hosts.get(key);
      hosts.set(key, known === undefined ? named : addHosts(known, named));
    }
    for (const refusal of totals.refusals) {
      const key = keyIn(refusals, refusal.host);
      refusals.set(key, { host: key, count: (refusals.get(key)?.count ?? 0) + refusal.count });
    }
  }
  return { hosts: inOrder(hosts), refusals: inOrder(refusals) };
}

function keyIn(known: ReadonlyMap<string, unknown>, key: string): string {
  return known.has(key) || known.size < MAX_TOTALS ? key : OTHER_HOSTS;
}

function addHosts(a: HostTotals, b: HostTotals): HostTotals {
  return {
    ...a,
    connections: a.connections + b.connections,
    bytesUp: a.bytesUp + b.bytesUp,
    bytesDown: a.bytesDown + b.bytesDown,
  };
}

function inOrder<T>(map: ReadonlyMap<string, T>): readonly T[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
