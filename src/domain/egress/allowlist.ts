/** One entry of a bottle's allowlist: a host, or everything below one. */
export interface AllowEntry {
  /** Lower-case ASCII; of a wildcard what stands behind `*.`. */
  readonly host: string;
  readonly wildcard: boolean;
  /** Ascending. */
  readonly ports: readonly number[];
}

const ENTRY = /^(\*\.)?([^:*]+)(?::([0-9,]+))?$/;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const DEFAULT_PORT = 443;

/** Reads `host`, `*.suffix`, either with `:port[,port]`; without ports 443. */
export function readAllowEntry(text: string): AllowEntry | { readonly problem: string } {
  // Not `toLowerCase`: that makes ASCII of letters that are none.
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const [, star, host = '', list] = ENTRY.exec(lower) ?? [];
  const labels = host.split('.');
  if (!labels.every((label) => LABEL.test(label)) || labels.length < 2 || host.length > 253)
    return { problem: 'is not a host such as api.example.org, *.example.org or example.org:8443' };
  if (/^[0-9]+$|^0x/.test(labels.at(-1) ?? '')) return { problem: 'is an address: name the host' };
  const ports = list === undefined ? [DEFAULT_PORT] : [...new Set(list.split(',').map(Number))];
  if (!ports.every((port) => port >= 1 && port <= 65_535))
    return { problem: 'has a port that cannot be (1 to 65535)' };
  return { host, wildcard: star !== undefined, ports: ports.sort((a, b) => a - b) };
}
