/** What kind of address an IP address is; only `global` ones are for hosts that an agent names. */
export type AddressRange =
  | 'global'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'broadcast'
  | 'reserved'
  | 'no address';

type Block = readonly [prefix: string, range: AddressRange];

/** IANA IPv4 Special-Purpose Address Registry, less what it calls globally reachable; first match counts. */
const V4_BLOCKS: readonly Block[] = [
  ['255.255.255.255/32', 'broadcast'],
  // Azure's metadata and DNS service, in the middle of ordinary addresses. Those of others lie in blocks below.
  ['168.63.129.16/32', 'metadata'],
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

/** The same for IPv6. What is in none of these and not in 2000::/3 was never given out. */
const V6_BLOCKS: readonly Block[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['64:ff9b:1::/48', 'private'],
  ['100::/64', 'reserved'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['3ffe::/16', 'reserved'],
  ['3fff::/20', 'reserved'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
];

/** Blocks whose addresses carry IPv4 ones, and how far those are shifted; such an address is as good as what it carries. */
const EMBEDDED: readonly (readonly [prefix: string, shifts: readonly bigint[], invert: boolean])[] = [
  ['::ffff:0:0/96', [0n], false],
  ['::ffff:0:0:0/96', [0n], false],
  ['::/96', [0n], false],
  ['64:ff9b::/96', [0n], false],
  ['2002::/16', [80n], false],
  // Teredo: the server as it is, the client inverted.
  ['2001::/32', [0n], true],
  ['2001::/32', [64n], false],
];

const GLOBAL_UNICAST = '2000::/3';
const V4_MASK = 0xffff_ffffn;
/** ISATAP: an interface identifier with an IPv4 address in it, below any prefix (RFC 5214). */
const ISATAP_IDS: readonly bigint[] = [0x0000_5efen, 0x0200_5efen];

/**
 * The kind of an address given as text. Everything that is not plainly an address, zones (`fe80::1%eth0`) and old
 * spellings of IPv4 (`0177.0.0.1`, `127.1`) included, is `no address`.
 */
export function addressRange(text: string): AddressRange {
  const v4 = parseV4(text);
  if (v4 !== undefined) return rangeOfV4(v4);
  const v6 = parseV6(text);
  return v6 === undefined ? 'no address' : rangeOfV6(v6);
}

function rangeOfV4(value: bigint): AddressRange {
  return V4_BLOCKS.find(([prefix]) => isIn(value, prefix, 32n))?.[1] ?? 'global';
}

function rangeOfV6(value: bigint): AddressRange {
  // Before anything that carries an IPv4 address: ::1 and :: look like it.
  if (value <= 1n) return value === 0n ? 'unspecified' : 'loopback';
  let carries = false;
  for (const [prefix, shifts, invert] of EMBEDDED) {
    if (!isIn(value, prefix, 128n)) continue;
    carries = true;
    for (const shift of shifts) {
      const v4 = ((value >> shift) & V4_MASK) ^ (invert ? V4_MASK : 0n);
      const range = rangeOfV4(v4);
      if (range !== 'global') return range;
    }
  }
  if (ISATAP_IDS.includes((value >> 32n) & V4_MASK)) {
    const range = rangeOfV4(value & V4_MASK);
    if (range !== 'global') return range;
  }
  if (carries) return 'global';
  const block = V6_BLOCKS.find(([prefix]) => isIn(value, prefix, 128n));
  if (block !== undefined) return block[1];
  return isIn(value, GLOBAL_UNICAST, 128n) ? 'global' : 'reserved';
}

function isIn(value: bigint, prefix: string, bits: bigint): boolean {
  const { base, length } = blockOf(prefix);
  const shift = bits - length;
  return value >> shift === base >> shift;
}

const parsedBlocks = new Map<string, { readonly base: bigint; readonly length: bigint }>();

function blockOf(prefix: string): { readonly base: bigint; readonly length: bigint } {
  const known = parsedBlocks.get(prefix);
  if (known !== undefined) return known;
  const [address = '', length = ''] = prefix.split('/');
  const block = { base: parseV4(address) ?? parseV6(address) ?? 0n, length: BigInt(length) };
  parsedBlocks.set(prefix, block);
  return block;
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^(?:0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return value;
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const known = head.length + (tail?.length ?? 0);
  if (halves.length === 1 ? known !== 8 : known > 7) return undefined;
  const groups = [...head, ...Array.from({ length: 8 - known }, () => 0n), ...(tail ?? [])];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** @param atEnd the last group may be an IPv4 address, which is two */
function groupsOf(text: string, atEnd: boolean): bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    const v4 = atEnd && index === parts.length - 1 ? parseV4(part) : undefined;
    if (v4 !== undefined) groups.push(v4 >> 16n, v4 & 0xffffn);
    else if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
