import { MIB } from '../../../../src/adapters/docker/hardening.js';
import { row, set, type Weakening } from './weakening.js';

export const SECRET = 'canary-of-the-weaknesses-test';

/** Everything but mounts. */
export const AGENT: readonly Weakening[] = [
  row('nothing', () => undefined, [], []),
  row(
    'privileged',
    set({ Privileged: true }),
    [
      'is privileged',
      'has other security options',
      'sees kernel files that are masked',
      'can write kernel files',
    ],
    ['capabilities', 'no seccomp', 'another seccomp', 'proc', 'sys', 'masked', 'devices'],
  ),
  row('one capability', set({ CapAdd: ['NET_RAW'] }), ['has capabilities'], ['capabilities']),
  row('the usual capabilities', set({ CapDrop: [] }), ['keeps capabilities'], ['capabilities']),
  row(
    'the host’s network',
    set({ NetworkMode: 'host' }),
    ['has a network', 'is on the network of the host or of another container'],
    ['network'],
  ),
  row('a bridge network', set({ NetworkMode: 'bridge' }), ['has a network'], ['network', 'hosts']),
  row(
    'the host’s processes',
    set({ PidMode: 'host' }),
    ['sees the processes of others', 'has other security options'],
    ['process 1'],
  ),
  row(
    'the host’s shared memory',
    set({ IpcMode: 'host' }),
    ['has other security options', 'shares memory with others'],
    ['shared memory'],
  ),
  row('memory to share', set({ IpcMode: 'shareable' }), ['shares memory with others'], null),
  row(
    'the host’s name',
    (host, options) => {
      Object.assign(host, { UTSMode: 'host' });
      delete options.Hostname;
    },
    ['has the host’s name'],
    null,
  ),
  row('the host’s users', set({ UsernsMode: 'host' }), ['has the host’s users'], null),
  row('a writable image', set({ ReadonlyRootfs: false }), ['can write its image'], ['root']),
  row(
    'no filter of system calls',
    set({ SecurityOpt: ['no-new-privileges', 'seccomp=unconfined'] }),
    ['has another filter of system calls'],
    ['no seccomp', 'another seccomp'],
  ),
  row(
    'Docker’s own filter',
    set({ SecurityOpt: ['no-new-privileges'] }),
    ['has another filter of system calls'],
    ['another seccomp'],
  ),
  row(
    'new privileges',
    (host) => {
      host.SecurityOpt = (host.SecurityOpt as string[]).slice(1);
    },
    ['may gain rights'],
    ['new privileges'],
  ),
  row(
    'no AppArmor',
    (host) => {
      host.SecurityOpt = [...(host.SecurityOpt as string[]), 'apparmor=unconfined'];
    },
    ['has other security options', 'runs without AppArmor'],
    null,
  ),
  row(
    'root',
    (_, options) => {
      options.User = '0:0';
    },
    ['runs as another user'],
    ['user', 'groups'],
  ),
  row(
    'group 0',
    (_, options) => {
      options.User = '1000:0';
    },
    ['runs as another user'],
    ['user', 'groups'],
  ),
  row('one more group', set({ GroupAdd: ['27'] }), ['is in more groups'], ['groups']),
  row('masks off', set({ MaskedPaths: [] }), ['sees kernel files that are masked'], ['masked']),
  row('a writable /proc/sys', set({ ReadonlyPaths: [] }), ['can write kernel files'], ['proc']),
  row(
    'a device',
    set({ Devices: [{ PathOnHost: '/dev/null', PathInContainer: '/dev/sda', CgroupPermissions: 'rwm' }] }),
    ['has devices'],
    ['devices'],
  ),
  row('rights to devices', set({ DeviceCgroupRules: ['b 8:* rmw'] }), ['may use more devices'], null),
  row(
    'a graphics card',
    set({ DeviceRequests: [{ Driver: 'nvidia', Count: -1, Capabilities: [['gpu']] }] }),
    ['has devices by request'],
    null,
  ),
  row('memory without limit', set({ Memory: 0, MemorySwap: 0 }), ['has no limit of memory'], ['memory']),
  row('swap', set({ MemorySwap: -1 }), ['has no limit of memory'], null),
  row('processes without limit', set({ PidsLimit: 0 }), ['has no limit of processes'], ['processes']),
  row('CPUs without limit', set({ NanoCpus: 0 }), ['has no limit of CPUs'], null),
  row('files without limit', set({ Ulimits: [] }), ['has no limit of files'], ['file limits']),
  row(
    'much shared memory',
    set({ ShmSize: 1024 * MIB }),
    ['has no limit of shared memory'],
    ['shared memory'],
  ),
  row(
    'a log without limit',
    set({ LogConfig: { Type: 'json-file', Config: {} } }),
    ['has no limit of its log'],
    null,
  ),
  row('no init', set({ Init: false }), ['has no init process'], ['process 1']),
  row(
    'set-user-id programs in /tmp',
    set({ Tmpfs: { '/tmp': 'rw,exec,suid,dev' } }),
    ['has another file system in memory'],
    ['tmp'],
  ),
  row(
    'one more tmpfs',
    (host) => {
      host.Tmpfs = { ...host.Tmpfs, '/opt/x': 'rw' };
    },
    ['has another file system in memory'],
    ['mounts'],
  ),
  row('a restart', set({ RestartPolicy: { Name: 'always' } }), ['is started again by the engine'], null),
  row(
    'a health check',
    (_, options) => {
      options.Healthcheck = { Test: ['CMD', 'true'] };
    },
    ['has a health check'],
    null,
  ),
  row(
    'a published port',
    set({ PortBindings: { '80/tcp': [{ HostPort: '0' }] } }),
    ['publishes ports'],
    null,
  ),
  row('all ports published', set({ PublishAllPorts: true }), ['publishes all ports'], null),
  row(
    'a kernel setting',
    set({ Sysctls: { 'net.ipv4.ip_unprivileged_port_start': '0' } }),
    ['changes kernel settings'],
    null,
  ),
  row(
    'a host by name',
    set({ ExtraHosts: ['forge.example:192.0.2.1'] }),
    ['knows other hosts by name'],
    ['hosts'],
  ),
  row(
    'the host’s name servers',
    set({ Dns: [], DnsSearch: [] }),
    ['asks the host’s name servers'],
    ['name servers'],
  ),
  row(
    'no end when memory runs out',
    set({ OomKillDisable: true }),
    ['is not killed when memory runs out'],
    null,
  ),
  row(
    'a late end when memory runs out',
    set({ OomScoreAdj: -500 }),
    ['is killed later than others when memory runs out'],
    null,
  ),
  row(
    'another control group',
    set({ CgroupParent: '/bb-weakness-test' }),
    ['is not below the engine’s control group'],
    null,
  ),
  row(
    'a secret in the environment',
    (_, options) => {
      options.Env = [...(options.Env ?? []), `API_TOKEN=${SECRET}`];
    },
    ['shows a secret to docker inspect'],
    ['environment'],
  ),
  row(
    'another role',
    (_, options) => {
      options.Labels = { ...options.Labels, 'bot-bottle.role': 'other' };
    },
    ['has a role that no container has'],
    null,
  ),
];
