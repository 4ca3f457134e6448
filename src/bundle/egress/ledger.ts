import { whyNoHost } from '../../domain/egress/host-name.js';
import { MAX_TOTALS, OTHER_HOSTS, type EgressTotals, type HostTotals } from '../../domain/egress/totals.js';

interface Line {
  readonly host: string;
  readonly route: string | null;
  connections: number;
  bytesUp: number;
  bytesDown: number;
}

/** What one connection or request moves, in bytes. It is counted for its host as it comes. */
export class Transfer {
  #up = 0;
  #down = 0;

  constructor(
    private readonly line: Line,
    private readonly onMoved: (bytes: number) => void,
  ) {}

  get up(): number {
    return this.#up;
  }

  get down(): number {
    return this.#down;
  }

  sent(bytes: number): void {
    this.#up += bytes;
    this.line.bytesUp += bytes;
    this.onMoved(bytes);
  }

  received(bytes: number): void {
    this.#down += bytes;
    this.line.bytesDown += bytes;
    this.onMoved(bytes);
  }
}

/** A client may ask for what is no host at all; that gets no line of its own. */
const NO_HOST = 'no host name';

/** What went through since this process began; the agent decides how many hosts there are, so lines are limited. */
export class Ledger {
  readonly #lines = new Map<string, Line>();
  readonly #refusals = new Map<string, number>();
  #lastSuccessAt: number | null = null;

  /** @param onMoved told of the bytes of all transfers */
  constructor(
    private readonly now: () => number,
    private readonly onMoved: (bytes: number) => void = () => undefined,
  ) {}

  /** One connection, or request of a route, more. @param host of the operator's or one that is allowed */
  open(host: string, route: string | null): Transfer {
    const line = this.#lineOf(host, route);
    line.connections += 1;
    return new Transfer(line, this.onMoved);
  }

  /** A name below a wildcard goes up to whoever answers for it: one line for all of them, or they would crowd out hosts. */
  addName(wildcard: string, bytes: number): void {
    this.#lineOf(wildcard, null).bytesUp += bytes;
  }

  #lineOf(host: string, route: string | null): Line {
    const own = `${host} ${route ?? ''}`;
    const hasOwn = this.#lines.has(own) || this.#lines.size < MAX_TOTALS;
    const key = hasOwn ? own : OTHER_HOSTS;
    const named = hasOwn ? { host, route } : { host: OTHER_HOSTS, route: null };
    const line = this.#lines.get(key) ?? { ...named, connections: 0, bytesUp: 0, bytesDown: 0 };
    this.#lines.set(key, line);
    return line;
  }

  /** @param host as the client wrote it */
  refuse(host: string): void {
    const shown = whyNoHost(host) === undefined ? host : NO_HOST;
    const isKnown = this.#refusals.has(shown) || this.#refusals.size < MAX_TOTALS;
    const name = isKnown ? shown : OTHER_HOSTS;
    this.#refusals.set(name, (this.#refusals.get(name) ?? 0) + 1);
  }

  /** An upstream of a route answered well: a sign of life of the agent, which a refusal is not. */
  succeed(): void {
    this.#lastSuccessAt = this.now();
  }

  /** Epoch milliseconds. */
  get lastSuccessAt(): number | null {
    return this.#lastSuccessAt;
  }

  totals(): EgressTotals {
    const hosts: HostTotals[] = [...this.#lines.values()].map((line) => ({ ...line }));
    const refusals = [...this.#refusals].map(([host, count]) => ({ host, count }));
    return { hosts: hosts.sort(byHost), refusals: refusals.sort(byHost) };
  }
}

function byHost(a: { readonly host: string }, b: { readonly host: string }): number {
  return a.host < b.host ? -1 : 1;
}
