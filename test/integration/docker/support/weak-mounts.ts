import { homedir } from 'node:os';
import { mount, mountAt, row, set, type Weakening } from './weakening.js';

/** As the volume of another run would be called. */
export const OTHER_HOME = 'bb-dkt-alice-demo-2-other-home';

export const AGENT_MOUNTS: readonly Weakening[] = [
  row(
    'the engine’s socket',
    mount('/var/run/docker.sock', '/run/docker.sock'),
    ['has something else mounted at /run/docker.sock'],
    ['mounts'],
  ),
  row(
    'the home of another run',
    mountAt('/home/agent', { Source: OTHER_HOME }),
    ['has something else mounted at /home/agent'],
    null,
  ),
  row(
    'the workspace of another run',
    mountAt('/workspace', { Source: '/tmp' }),
    ['has something else mounted at /workspace'],
    null,
  ),
  row(
    'the queue',
    mount('queue/out', '/run/bottle/out', false),
    ['has something else mounted at /run/bottle/out'],
    ['mounts'],
  ),
  row(
    'the forge token',
    mount('bundle/forge-token', '/run/bottle/forge-token'),
    ['has something else mounted at /run/bottle/forge-token'],
    ['mounts'],
  ),
  row('the host’s home', mount(homedir(), '/mnt'), ['has something else mounted at /mnt'], ['mounts']),
  row(
    'a volume of its own making',
    (host, options) => {
      options.Volumes = { '/data': {} };
    },
    ['has something else mounted at /data'],
    ['mounts'],
  ),
  row(
    'an old-style mount',
    set({ Binds: ['/etc:/host-etc:ro'] }),
    ['has something else mounted at /host-etc'],
    ['mounts'],
  ),
  row(
    'writable sockets',
    mountAt('/run/bottle/sock', { ReadOnly: false }),
    ['can write /run/bottle/sock'],
    ['sockets'],
  ),
  row(
    'a writable input',
    mountAt('/run/bottle/turn', { ReadOnly: false }),
    ['can write /run/bottle/turn'],
    ['input'],
  ),
  row(
    'mounts that pass on',
    mountAt('/workspace', { BindOptions: { Propagation: 'rslave' } }),
    ['passes mounts on at /workspace'],
    null,
  ),
  row(
    'the host’s /proc',
    mount('/proc', '/host/proc', false),
    ['has something else mounted at /host/proc'],
    ['mounts'],
  ),
  row(
    'the host’s /sys',
    mount('/sys', '/host/sys', false),
    ['has something else mounted at /host/sys'],
    ['mounts'],
  ),
];

export const BUNDLE: readonly Weakening[] = [
  row('nothing', () => undefined, [], null),
  row(
    'the host’s network',
    set({ NetworkMode: 'host' }),
    ['is on the network of the host or of another container'],
    null,
  ),
  row(
    'the network of a container',
    (host, options) => {
      host.NetworkMode = 'container:x';
      delete options.Hostname;
    },
    ['is on the network of the host or of another container'],
    null,
  ),
  row(
    'the agent’s user',
    (_, options) => {
      options.User = '1000:1000';
    },
    ['runs as another user'],
    null,
  ),
  row('the workspace', mount('workspace', '/workspace'), ['has something else mounted at /workspace'], null),
  row(
    'a writable token',
    mountAt('/run/bottle/forge-token', { ReadOnly: false }),
    ['can write /run/bottle/forge-token'],
    null,
  ),
  row(
    'the engine’s socket as its authority',
    mountAt('/run/bottle/ca.pem', { Source: '/var/run/docker.sock' }),
    ['has something else mounted at /run/bottle/ca.pem'],
    null,
  ),
  row(
    'the agent’s home as its queue',
    mountAt('/run/bottle/in', { Source: '/tmp' }),
    ['has something else mounted at /run/bottle/in'],
    null,
  ),
  row(
    'a log without limit',
    set({ LogConfig: { Type: 'local', Config: {} } }),
    ['has no limit of its log'],
    null,
  ),
];
