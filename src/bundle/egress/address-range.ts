import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What kind of address an IP address is; only `global` ones are for hosts that an agent names. */
export type AddressRange = (typeof BLOCKS)[number][0] | 'global' | 'no address';

/**
 * IANA's special-purpose registries of IPv4 and IPv6, less what they call globally reachable; the first match counts.
 * What is in none of these is global, but of IPv6 only in `GLOBAL_V6`: the rest was never given out.
 */
const BLOCKS = [
  ['loopback', ['127.0.0.0/8'], ['::1/128']],
  ['unspecified', ['0.0.0.0/8'], []],
  ['broadcast', ['255.255.255.255/32'], []],
  // Metadata services in the middle of other blocks; 169.254.169.254 is link-local.
  [
    'metadata',
    // Azure, Alibaba, Oracle.
    ['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32'],
    [
      // AWS (EC2's and EKS's user guides): metadata, Pod Identity.
      ...['fd00:ec2::254/128', 'fd00:ec2::23/128'],
      // Google Cloud (Compute Engine, "View and query VM metadata").
      'fd20:ce::254/128',
      // Oracle (oci-python-sdk, instance_principals_security_token_signer.py).
      'fd00:c1::a9fe:a9fe/128',
      // Alibaba (canonical/cloud-init#6893).
      'fd00:100::100:200/128',
    ],
  ],
  ['link-local', ['169.254.0.0/16'], ['fe80::/10']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], ['64:ff9b:1::/48', 'fc00::/7', 'fec0::/10']],
  ['shared', ['100.64.0.0/10'], []],
  ['multicast', ['224.0.0.0/4'], ['ff00::/8']],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
    ],
    ['100::/64', '2001::/23', '2001:db8::/32', '3ffe::/16', '3fff::/20'],
  ],
] as const;

/** With those that carry an IPv4 address: mapped ones and NAT64. */
const GLOBAL_V6 = v6List(['2000::/3', '::ffff:0:0/96', '64:ff9b::/96']);

/** ISATAP: an interface identifier with an IPv4 address in it, below any prefix (RFC 5214). */
const ISATAP = /(?:::|:0:|:200:)5efe:(?:[0-9a-f]+:[0-9a-f]+|:)\]$/;

const RANGES = BLOCKS.map(([range, v4, v6]) => [range, rangeList(v4, v6)] as const);

/**
 * The kind of an address given as text. Everything that is not plainly an address, zones (`fe80::1%eth0`) and old
 * spellings of IPv4 (`0177.0.0.1`, `127.1`) included, is `no address`. An IPv6 address is as good as the IPv4 address
 * that it carries.
 */
export function addressRange(text: string): AddressRange {
  const family = isIPv4(text) ? 'ipv4' : isIPv6(text) && !text.includes('%') ? 'ipv6' : undefined;
  if (family === undefined) return 'no address';
  const special = RANGES.find(([, list]) => list.check(text, family))?.[0];
  if (special !== undefined || family === 'ipv4') return special ?? 'global';
  if (ISATAP.test(new URL(`http://[${text}]`).hostname)) return 'private';
  return GLOBAL_V6.check(text, 'ipv6') ? 'global' : 'reserved';
}

/** Node's list itself finds mapped addresses (`::ffff:10.0.0.1`). */
function rangeList(v4: readonly string[], v6: readonly string[]): BlockList {
  const list = v6List(v6);
  for (const block of v4) {
    const [net = '', bits] = block.split('/');
    const hex = Buffer.from(net.split('.').map(Number)).toString('hex').replace(/^.{4}/, '$&:');
    list.addSubnet(net, Number(bits), 'ipv4');
    // Compatible, translated, NAT64; and 6to4, which has it in front.
    for (const prefix of ['::', '::ffff:0:', '64:ff9b::'])
      list.addSubnet(`${prefix}${net}`, 96 + Number(bits), 'ipv6');
    list.addSubnet(`2002:${hex}::`, 16 + Number(bits), 'ipv6');
  }
  return list;
}

function v6List(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [net = '', bits] = block.split('/');
    list.addSubnet(net, Number(bits), 'ipv6');
  }
  return list;
}
