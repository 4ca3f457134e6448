import { whyNoHost } from './host-name.js';

/** One line of a bottle's allowlist: a host, or everything below one. */
export interface AllowEntry {
  readonly host: string;
  /** `*.host`: its subdomains, at any depth, and not the host itself. */
  readonly wildcard: boolean;
  /** Ascending, each once. */
  readonly ports: readonly number[];
  /** A TLS hello may have an encrypted part (ECH), which nobody on the way can read. */
  readonly encryptedHello: boolean;
}

export interface AllowlistProblem {
  /** From 1. */
  readonly line: number;
  readonly problem: string;
}

const DEFAULT_PORT = 443;
const MAX_PORTS = 16;
const ENCRYPTED_HELLO = ' ech';
const SHOWN_CHARACTERS = 80;

/**
 * Reads `host`, `*.host`, `host:port` or `host:port,port`, each with or without ` ech` behind it; without a port it is
 * 443. Whether a wildcard is too wide (`*.org`) is asked of whoever writes the manifest.
 */
export function readAllowEntry(text: string): AllowEntry | { readonly problem: string } {
  const encryptedHello = text.endsWith(ENCRYPTED_HELLO);
  const match = /^(\*\.)?([^:]*)(?::(.*))?$/s.exec(
    encryptedHello ? text.slice(0, -ENCRYPTED_HELLO.length) : text,
  );
  const [, star, host = '', portText] = match ?? [];
  const wrong = match === null ? 'is no host' : whyNoHost(host);
  if (wrong !== undefined) return { problem: wrong };
  const ports = portText === undefined ? [DEFAULT_PORT] : readPorts(portText);
  if (ports === undefined)
    return { problem: 'needs ports from 1 to 65535 behind its colon, such as :443,8443' };
  return { host, wildcard: star !== undefined, ports, encryptedHello };
}

/** A whole file: an entry a line, empty lines and `# comments` between them, also behind an entry. */
export function parseAllowlist(text: string): {
  readonly entries: readonly AllowEntry[];
  readonly problems: readonly AllowlistProblem[];
} {
  const entries: AllowEntry[] = [];
  const problems: AllowlistProblem[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/(^|\s)#.*$/, '').trim();
    if (line === '') continue;
    const entry = readAllowEntry(line);
    if ('problem' in entry) problems.push({ line: index + 1, problem: `${shown(line)} ${entry.problem}` });
    else entries.push(entry);
  }
  return { entries, problems };
}

/**
 * Default deny. Whether the host is a route's upstream, which is never reached directly, the caller asks beside it
 * (`routeOfHost`).
 * @param host lower case, see `whyNoHost`
 */
export function isAllowed(entries: readonly AllowEntry[], host: string, port: number): boolean {
  return entries.some((entry) => fits(entry, host, port));
}

/** Whether one of the entries that allow the host takes hellos with an encrypted part, too. */
export function allowsEncryptedHello(entries: readonly AllowEntry[], host: string, port: number): boolean {
  return entries.some((entry) => entry.encryptedHello && fits(entry, host, port));
}

/**
 * The wildcard below which an agent chose the name of a host that is allowed; `undefined` where an entry says all of it.
 */
export function wildcardOf(entries: readonly AllowEntry[], host: string, port: number): string | undefined {
  const fitting = entries.filter((entry) => fits(entry, host, port));
  return fitting.every(({ wildcard }) => wildcard) ? fitting.map((entry) => `*.${entry.host}`)[0] : undefined;
}

function fits(entry: AllowEntry, host: string, port: number): boolean {
  return namesHost(entry, host) && entry.ports.includes(port);
}

/** On whatever port. @param host as for `isAllowed` */
export function namesHost({ host: named, wildcard }: AllowEntry, host: string): boolean {
  return wildcard ? host.endsWith(`.${named}`) : host === named;
}

/** The one way to write an entry: equal entries give equal texts. */
export function formatAllowEntry({ host, wildcard, ports, encryptedHello }: AllowEntry): string {
  const sorted = normalPorts(ports);
  const isDefault = sorted.length === 1 && sorted[0] === DEFAULT_PORT;
  return `${wildcard ? '*.' : ''}${host}${isDefault ? '' : `:${sorted.join(',')}`}${encryptedHello ? ENCRYPTED_HELLO : ''}`;
}

function readPorts(text: string): readonly number[] | undefined {
  const ports = text.split(',').map((port) => (/^[1-9][0-9]{0,4}$/.test(port) ? Number(port) : Number.NaN));
  if (ports.length > MAX_PORTS || !ports.every((port) => port <= 65_535)) return undefined;
  return normalPorts(ports);
}

function normalPorts(ports: readonly number[]): readonly number[] {
  return [...new Set(ports)].sort((a, b) => a - b);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
}
