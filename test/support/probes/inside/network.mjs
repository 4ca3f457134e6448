// Ways out of a container that has no network.
import { readFileSync, readdirSync } from 'node:fs';
import {
  abstractSocket,
  blocked,
  perl,
  refusedAs,
  resolveName,
  socketOf,
  tcp,
  through,
  udp,
} from './tools.mjs';

const STREAM = 1;
const DATAGRAM = 2;
const RAW = 3;
const NO_WAY = ['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'];

const reach = (name, tries, where, control = false) => ({
  name,
  tries,
  control,
  run: async (targets) => {
    const results = [];
    for (const [host, port] of where(targets)) results.push([`${host}:${port}`, await tcp(host, port)]);
    if (results.length === 0) return through('nothing was tried');
    const evidence = results.map(([place, what]) => `${place} ${what}`).join(', ');
    return results.every(([, what]) => NO_WAY.includes(what)) ? blocked(evidence) : through(evidence);
  },
});

/** The reasons why the kernel does not give out a socket: the filter, or no such family. */
const socket = (name, family, type, protocol = 0, control = false) => ({
  name: `socket: ${name}`,
  tries: `socket(${family}, ${type}, ${protocol})`,
  control,
  run: () =>
    refusedAs(socketOf(family, type, protocol), 'EPERM', 'EAFNOSUPPORT', 'EPROTONOSUPPORT', 'EACCES'),
});

export const network = [
  reach(
    'host, loopback',
    'a listener of the host on 127.0.0.1',
    (t) => [['127.0.0.1', t.loopbackPort]],
    true,
  ),
  reach(
    'host, bridge',
    'a listener of the host on 0.0.0.0, by the bridge’s gateway',
    (t) => [[t.gateway, t.openPort]],
    true,
  ),
  reach(
    'host, own addresses',
    'the same by every address of the host',
    (t) => t.addresses.map((a) => [a, t.openPort]),
    true,
  ),
  reach(
    'temporal',
    'Temporal’s port, by loopback and by the gateway',
    (t) => [
      ['127.0.0.1', t.temporalPort],
      [t.gateway, t.temporalPort],
    ],
    true,
  ),
  reach('temporal ui', 'the port of Temporal’s page', (t) => [['127.0.0.1', t.uiPort]], true),
  reach(
    'webhook',
    'the webhook’s door',
    (t) => [
      ['127.0.0.1', t.webhookPort],
      [t.gateway, t.webhookPort],
    ],
    true,
  ),
  reach(
    'forge',
    'the forge itself, around the sidecar',
    (t) => [
      ['127.0.0.1', t.forgePort],
      [t.gateway, t.forgePort],
    ],
    true,
  ),
  reach('docker over tcp', 'the engine on its usual ports', (t) =>
    [2375, 2376].map((port) => [t.gateway, port]),
  ),
  reach('metadata', 'a cloud’s metadata address', () => [['169.254.169.254', 80]]),
  reach('private ranges', 'an address of each private range', () => [
    ['10.0.0.1', 80],
    ['192.168.0.1', 80],
    ['172.17.0.2', 80],
  ]),
  reach('outside', 'an address that is nobody’s (RFC 5737)', () => [['192.0.2.1', 443]]),
  reach('ipv6, loopback', 'a listener of the host on ::1', (t) => [
    ['::1', t.loopback6Port ?? t.loopbackPort],
  ]),
  reach('ipv6, local', 'a unique local and a documentation address', () => [
    ['fd00::1', 80],
    ['2001:db8::1', 80],
  ]),
  {
    name: 'ipv6, link-local',
    tries: 'a neighbour’s address by every interface',
    run: async () => {
      const results = await Promise.all(
        readdirSync('/sys/class/net').map((name) => tcp(`fe80::1%${name}`, 80)),
      );
      const evidence = results.join(', ');
      return results.every((what) => [...NO_WAY, 'EINVAL'].includes(what))
        ? blocked(evidence)
        : through(evidence);
    },
  },
  {
    name: 'interfaces',
    tries: 'to find an interface, a route or a neighbour',
    control: true,
    run: () => {
      const names = readdirSync('/sys/class/net').join(' ');
      const rows = ['/proc/net/route', '/proc/net/arp'].map(
        (file) => readFileSync(file, 'utf8').trim().split('\n').length - 1,
      );
      const evidence = `${names}; ${rows.join(' and ')} rows`;
      return names === 'lo' && rows.every((count) => count === 0) ? blocked(evidence) : through(evidence);
    },
  },
  {
    name: 'dns, name server',
    tries: 'to learn the host’s name servers and search domains',
    control: true,
    run: (targets) => {
      const text = readFileSync('/etc/resolv.conf', 'utf8');
      const lines = text.split('\n').filter((line) => /^\s*(nameserver|search|domain)\b/.test(line));
      const told = lines.filter((line) => !/^nameserver 127\.|^search \.?$/.test(line.trim()));
      const known = targets.resolvers.filter((name) => text.includes(name));
      return told.length + known.length === 0
        ? blocked(lines.join('; '))
        : through([...told, ...known].join('; '));
    },
  },
  {
    name: 'dns, tunnel',
    tries: 'to carry data out as a name to resolve',
    run: async () =>
      refusedAs(
        await resolveName('c2VjcmV0.tunnel.example.com'),
        'EAI_AGAIN',
        'ENOTFOUND',
        'EAI_FAIL',
        'ESERVFAIL',
      ),
  },
  {
    name: 'dns, raw',
    tries: 'a datagram to port 53 of anybody, of Docker’s own server and of the gateway',
    control: true,
    run: (targets) => {
      const results = ['192.0.2.53', '127.0.0.11', targets.gateway].map((host) => [host, udp(host, 53)]);
      const evidence = results.map(([host, what]) => `${host} ${what}`).join(', ');
      // On loopback a datagram to nobody leaves and is lost: only the others would be a way out.
      return results.every(([host, what]) => host.startsWith('127.') || what === '101')
        ? blocked(evidence)
        : through(evidence);
    },
  },
  socket('raw ICMP', 2, RAW, 1, true),
  socket('raw ICMPv6', 10, RAW, 58),
  socket('packets', 17, RAW, 0, true),
  socket('vsock', 40, STREAM, 0, true),
  socket('vsock behind high bits', '(1 << 32) + 40', STREAM),
  socket('crypto (alg)', 38, 5),
  socket('bluetooth', 31, RAW, 1),
  socket('tipc', 30, STREAM),
  socket('rds', 21, 5),
  socket('can', 29, RAW, 1),
  socket('xdp', 44, RAW),
  socket('smc', 43, STREAM),
  socket('key', 15, RAW, 2),
  socket('qipcrtr', 42, DATAGRAM),
  {
    name: 'netlink, interface',
    tries: 'to take an interface down by netlink',
    run: () => {
      // RTM_NEWLINK for interface 1 with IFF_UP cleared, and an acknowledgement asked for; its error stands at byte 16.
      const code = perl(
        `socket(my $s, 16, 3, 0) or do { print $! + 0; exit };
         send($s, pack('LSSLL CxSlLL', 32, 16, 5, 1, 0, 0, 0, 1, 0, 1), 0) or do { print $! + 0; exit };
         recv($s, my $answer, 4096, 0); print -unpack('x16 l', $answer)`,
      );
      return refusedAs(code, '1');
    },
  },
  {
    name: 'host’s abstract socket',
    tries: 'an abstract Unix socket that a process of the host listens on',
    control: true,
    run: (targets) => refusedAs(abstractSocket(targets.abstractName), 'ECONNREFUSED'),
  },
  {
    name: 'abstract sockets',
    tries: 'to find any abstract socket, such as containerd’s',
    control: true,
    run: () => {
      const names = readFileSync('/proc/net/unix', 'utf8').match(/@\S+/g) ?? [];
      return names.length === 0 ? blocked('none') : through(names.slice(0, 3).join(' '));
    },
  },
];
