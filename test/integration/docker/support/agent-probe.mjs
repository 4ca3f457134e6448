// Runs inside a container as the agent and prints, as one line of JSON, what it may do.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';

const attempt = (work) => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return error.code;
  }
};
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined);
const perl = (code) => {
  const { stdout, signal, status } = spawnSync('perl', ['-e', code], { encoding: 'utf8' });
  return { stdout, signal, status };
};

const X64 = {
  socket: 41,
  keyctl: 250,
  add_key: 248,
  request_key: 249,
  userfaultfd: 323,
  bpf: 321,
  perf_event_open: 298,
  unshare: 272,
  mount: 165,
  setns: 308,
  ptrace: 101,
};
const ARM64 = {
  socket: 198,
  keyctl: 219,
  add_key: 217,
  request_key: 218,
  userfaultfd: 282,
  bpf: 280,
  perf_event_open: 241,
  unshare: 97,
  mount: 40,
  setns: 268,
  ptrace: 117,
};
const numbers = {
  ...(process.arch === 'arm64' ? ARM64 : X64),
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  clone3: 435,
  open_tree: 428,
  fsopen: 430,
};
const FAMILIES = {
  AF_UNIX: 1,
  AF_INET: 2,
  AF_INET6: 10,
  AF_NETLINK: 16,
  AF_PACKET: 17,
  AF_ALG: 38,
  AF_VSOCK: 40,
  AF_BLUETOOTH: 31,
  AF_TIPC: 30,
};
const SOCK_STREAM = 1;
const SOCK_DGRAM = 2;

/** errno, or 0: perl's `syscall` is the one way to any system call that the image has without a compiler. */
const errno = (name, ...args) =>
  Number(perl(`$! = 0; syscall(${[numbers[name], ...args].join(',')}); print $! + 0`).stdout);

const sockets = Object.fromEntries(
  Object.entries(FAMILIES).map(([name, family]) => {
    const type = ['AF_NETLINK', 'AF_PACKET'].includes(name) ? SOCK_DGRAM : SOCK_STREAM;
    return [name, errno('socket', family, type, 0)];
  }),
);
/** The family is an `int`; bits above must not get another one past a filter that compares 64 bits. */
const vsockWithHighBits = errno('socket', '(1 << 32) + 40', SOCK_STREAM, 0);
const calls = Object.fromEntries(
  Object.keys(numbers)
    .filter((name) => !['socket', 'ptrace'].includes(name))
    .map((name) => [name, errno(name, 0, 0, 0, 0, 0)]),
);
const unshareUser = errno('unshare', 0x10000000);

const ask = () =>
  new Promise((resolve) => {
    let answer = '';
    createConnection('/run/bottle/sock/forge.sock')
      .on('data', (data) => (answer += data))
      .on('error', (error) => resolve(error.code))
      .on('end', () => resolve(answer));
  });

const status = Object.fromEntries(
  read('/proc/self/status')
    .split('\n')
    .map((line) => line.split(/:\s+/)),
);
const sock = '/run/bottle/sock';
const forks =
  'my @p; while (@p < 500) { my $p = fork; last unless defined $p; if (!$p) { sleep 30; exit } push @p, $p } print scalar @p; kill 9, @p';

const report = {
  uid: process.getuid(),
  gid: process.getgid(),
  groups: process.getgroups(),
  caps: ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((set) => status[set]),
  noNewPrivs: status.NoNewPrivs,
  seccomp: status.Seccomp,
  pid1: read('/proc/1/cmdline').split('\0')[0],
  cwd: process.cwd(),
  interfaces: readdirSync('/sys/class/net'),
  routes: read('/proc/net/route').split('\n').length - 1,
  env: process.env,
  memoryLimit: read('/sys/fs/cgroup/memory/memory.limit_in_bytes') ?? read('/sys/fs/cgroup/memory.max'),
  pidsLimit: read('/sys/fs/cgroup/pids/pids.max') ?? read('/sys/fs/cgroup/pids.max'),
  limits: read('/proc/self/limits')
    .split('\n')
    .filter((line) => /core|file size|open files/.test(line))
    .map((line) => line.split(/\s{2,}/)),
  tmp: read('/proc/mounts')
    .split('\n')
    .find((line) => line.split(' ')[1] === '/tmp')
    ?.split(' ')[3]
    .split(','),
  sockets,
  vsockWithHighBits,
  calls,
  unshareUser,
  oldEntry: existsSync('/workspace/int80') ? spawnSync('/workspace/int80').signal : 'none',
  write: Object.fromEntries(
    [
      '/',
      '/etc',
      '/usr/local/bin',
      '/run',
      '/run/bottle',
      '/run/bottle/turn',
      sock,
      '/proc/sys/kernel',
      '/sys',
      '/workspace',
      '/home/agent',
      '/tmp',
    ].map((dir) => [dir, attempt(() => writeFileSync(`${dir}/probe`, 'x'))]),
  ),
  replaceSocket: attempt(() => rmSync(`${sock}/forge.sock`)),
  linkIntoSockets: attempt(() => symlinkSync('/tmp', `${sock}/link`)),
  overwriteTurn: attempt(() => writeFileSync('/run/bottle/turn/argv', 'x')),
  socketOwner: statSync(sock).uid,
  queue: ['/run/bottle/out', '/run/bottle/in', '/run/bottle/forge-token', '/run/bottle/ca.pem'].filter(
    (path) => existsSync(path),
  ),
  dockerSockets: ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock'].filter(
    (path) => existsSync(path),
  ),
  devices: readdirSync('/dev').filter((name) =>
    /^(sd|vd|nvme|xvd|mem|kmem|kmsg|fuse|kvm|vhost|dm-|loop)/.test(name),
  ),
  answer: existsSync(`${sock}/forge.sock`) ? await ask() : 'none',
  forks: process.argv[2] === 'greedy' ? Number(perl(forks).stdout) : -1,
  memoryHog:
    process.argv[2] === 'greedy' ? perl('my $x = "x" x (512 * 1024 * 1024); print length $x').signal : 'none',
};
console.log(JSON.stringify(report));
