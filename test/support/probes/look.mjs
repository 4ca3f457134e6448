// Looks around in an agent's container and prints, as one line of JSON, what it has that a bottle must not have. Short on
// purpose: it only looks, and says nothing in a bottle as it is made; probes/inside/ has the attacks.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim() : '');
const fields = Object.fromEntries(
  read('/proc/self/status')
    .split('\n')
    .map((line) => line.split(/:\s*/)),
);
/** The options of each mount point. */
const mounts = new Map(
  read('/proc/self/mountinfo')
    .split('\n')
    .map((line) => {
      const [left, right] = line.split(' - ').map((half) => half.split(' '));
      return [left[4], `${left[5]},${right[2]}`.split(',')];
    }),
);
const has = (at, option) => mounts.get(at)?.includes(option) === true;
const number = (...paths) => Number(paths.map(read).find((text) => text !== ''));
const MEMORY = ['/sys/fs/cgroup/memory/memory.limit_in_bytes', '/sys/fs/cgroup/memory.max'];
const PIDS = ['/sys/fs/cgroup/pids/pids.max', '/sys/fs/cgroup/pids.max'];
const limit = (name) => read('/proc/self/limits').match(new RegExp(`^Max ${name} +(\\S+)`, 'm'))?.[1];

/** What the engine, our images and our specification mount; everything else is too much. */
const KNOWN =
  /^\/($|proc($|\/)|sys($|\/)|dev($|\/(pts|shm|mqueue|init)$)|etc\/(resolv\.conf|hostname|hosts|bot-bottle\/current-config)$|(usr\/)?sbin\/docker-init$|tmp$|workspace$|home\/agent$|run\/bottle\/(sock|turn)$)/;
const DEVICES = /^(core|fd|full|init|mqueue|null|ptmx|pts|random|shm|stderr|stdin|stdout|tty|urandom|zero)$/;
const ENVIRONMENT = /^(GIT_CONFIG_\w+|HOME|HOSTNAME|LANG|OLDPWD|PATH|PWD|SHLVL|_)$/;
const MASKED = ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware'];
const SOCKETS = /^(forge|egress|credentials)\.sock$/;

const extra = (names, known) => names.filter((name) => !known.test(name));
const vsock = spawnSync('perl', ['-e', '$! = 0; socket(my $s, 40, 1, 0); print $! + 0'], {
  encoding: 'utf8',
});

const weaknesses = {
  user: process.getuid() !== 1000 || process.getgid() !== 1000,
  groups: process.getgroups().some((group) => group !== 1000),
  capabilities: ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].some(
    (set) => BigInt(`0x${fields[set]}`) !== 0n,
  ),
  'new privileges': fields.NoNewPrivs !== '1',
  'no seccomp': fields.Seccomp !== '2',
  'another seccomp': vsock.stdout !== '1',
  'process 1': !/docker-init$/.test(read('/proc/1/cmdline').split('\0')[0]),
  network: readdirSync('/sys/class/net').some((name) => name !== 'lo'),
  'name servers': read('/etc/resolv.conf')
    .split('\n')
    .some((line) => /^nameserver (?!127\.0\.0\.1$)/.test(line)),
  hosts: /^(?!127\.|::1|f[ef]0\d::)\S/m.test(read('/etc/hosts')),
  root: !has('/', 'ro'),
  mounts: extra([...mounts.keys()], KNOWN).length > 0,
  sockets: !has('/run/bottle/sock', 'ro') || extra(readdirSync('/run/bottle/sock'), SOCKETS).length > 0,
  input: !has('/run/bottle/turn', 'ro'),
  proc: !has('/proc/sys', 'ro'),
  sys: !has('/sys', 'ro'),
  masked: MASKED.some((path) => existsSync(path) && !mounts.has(path)),
  'shared memory': !has('/dev/shm', 'size=65536k'),
  tmp: ['nosuid', 'nodev'].some((option) => !has('/tmp', option)) || !/size=/.test(mounts.get('/tmp')),
  devices: extra(readdirSync('/dev'), DEVICES).length > 0,
  memory: !(number(...MEMORY) < 2 ** 50),
  processes: !(number(...PIDS) > 0),
  'file limits':
    limit('core file size') !== '0' ||
    [limit('file size'), limit('open files')].some((max) => !(Number(max) < 2 ** 40)),
  environment: extra(Object.keys(process.env), ENVIRONMENT).length > 0,
};
console.log(JSON.stringify(Object.keys(weaknesses).filter((name) => weaknesses[name])));
