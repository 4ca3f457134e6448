// Writing and reading where a bottle has no business, and traps for who collects what it leaves.
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { attempt, blocked, call, refusedAs, shell, through } from './tools.mjs';

const SOCK = '/run/bottle/sock';
const REFUSALS = ['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EXDEV', 'EBUSY'];

const writes = (name, path, control = false) => ({
  name: `write: ${name}`,
  tries: `a file at ${path}`,
  control,
  run: () =>
    refusedAs(
      attempt(() => writeFileSync(path, 'x')),
      ...REFUSALS,
    ),
});

const refused = (name, tries, work) => ({ name, tries, run: () => refusedAs(attempt(work), ...REFUSALS) });

/** Left for the host to find when it collects, measures and removes: none of it may be followed. */
function leaveTraps(targets) {
  const made = shell(
    `cd /workspace && mkdir -p traps && cd traps && ln -sfn / root && ln -sfn ${targets.canaryDir} canary && ln -sfn . loop &&
     mkfifo -m 666 fifo && perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("sock")) or die' &&
     truncate -s 6G hole && perl -e 'my $d = "d"; for (1..2000) { mkdir $d; chdir $d }' &&
     printf x >"$(printf 'new\\nline\\033[2J')" && mkdir closed && printf x >closed/x && chmod 0 closed &&
     mkdir -p ~/.scripted/sessions && cd ~/.scripted/sessions && ln -sfn ${targets.canary} stolen.json && mkfifo fifo && echo made`,
  );
  return made.endsWith('made') ? blocked('left for the end of the turn') : through(`not left: ${made}`);
}

export const files = [
  writes('root', '/probe', true),
  writes('etc', '/etc/probe', true),
  writes('programs', '/usr/local/bin/probe', true),
  writes('entrypoint', '/usr/local/bin/bottle-entrypoint'),
  writes('bottle’s programs', '/opt/bottle/probe', true),
  writes('run', '/run/probe', true),
  writes('var', '/var/probe', true),
  writes('mount points', '/run/bottle/probe'),
  writes('sockets', `${SOCK}/probe`),
  writes('turn', '/run/bottle/turn/argv'),
  writes('current configuration', '/etc/bot-bottle/current-config/probe'),
  writes('resolv.conf', '/etc/resolv.conf'),
  writes('devices', '/dev/probe', true),
  refused('socket: unlink', 'to remove the sidecar’s socket', () => rmSync(`${SOCK}/forge.sock`)),
  refused('socket: rename', 'to move it away', () => renameSync(`${SOCK}/forge.sock`, '/tmp/forge.sock')),
  refused('socket: mode', 'to close it', () => chmodSync(`${SOCK}/forge.sock`, 0)),
  refused('socket: link', 'to link out of its directory', () => symlinkSync('/workspace', `${SOCK}/out`)),
  refused('socket: hard link', 'a second name for it in the workspace', () =>
    linkSync(`${SOCK}/forge.sock`, '/workspace/forge.sock'),
  ),
  {
    name: 'socket: replace',
    tries: 'to listen in its place',
    run: () =>
      new Promise((resolve) => {
        const server = createServer();
        server.once('error', (error) => resolve(refusedAs(error.code, 'EROFS', 'EACCES', 'EADDRINUSE')));
        server.listen(`${SOCK}/mine.sock`, () => server.close(() => resolve(through('listening'))));
      }),
  },
  refused('hard link: etc', 'a second name for a file of the image', () =>
    linkSync('/etc/passwd', '/workspace/passwd'),
  ),
  refused('hard link: turn', 'a second name for a file of the host', () =>
    linkSync('/run/bottle/turn/argv', '/workspace/argv'),
  ),
  {
    name: 'engine’s sockets',
    tries: 'to find the socket of Docker or containerd',
    control: true,
    run: () => {
      const found = [
        '/var/run/docker.sock',
        '/run/docker.sock',
        '/run/containerd/containerd.sock',
        '/run/podman/podman.sock',
      ].filter((path) => existsSync(path));
      return found.length === 0 ? blocked('none') : through(found.join(' '));
    },
  },
  {
    name: 'other sockets',
    tries: 'to find any Unix socket but the own sidecar’s',
    run: () => {
      const found = shell('find / -type s -not -path "/proc/*" -not -path "/workspace/traps/*" 2>/dev/null')
        .split('\n')
        .sort();
      return found.every((path) => path.startsWith(`${SOCK}/`))
        ? blocked(found.join(' '))
        : through(found.join(' '));
    },
  },
  {
    name: 'mounts',
    tries: 'to find a mount that was not promised',
    run: () => {
      const ours = [
        '/workspace',
        '/home/agent',
        '/tmp',
        SOCK,
        '/run/bottle/turn',
        '/etc/bot-bottle/current-config',
        '/',
      ];
      const usual = [
        '/etc/resolv.conf',
        '/etc/hostname',
        '/etc/hosts',
        '/usr/sbin/docker-init',
        '/sbin/docker-init',
      ];
      const points = readFileSync('/proc/self/mountinfo', 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[4]);
      const others = points.filter(
        (point) => !ours.includes(point) && !usual.includes(point) && !/^\/(proc|sys|dev)(\/|$)/.test(point),
      );
      return others.length === 0 ? blocked(`${points.length} mounts`) : through(others.join(' '));
    },
  },
  {
    name: 'queue and token',
    tries: 'to find the sidecar’s queue, token, secrets and configuration',
    control: true,
    run: () => {
      const found = ['out', 'in', 'queue', 'forge-token', 'secrets', 'config', 'loopback', 'ca.pem'].filter(
        (name) => existsSync(`/run/bottle/${name}`),
      );
      return found.length === 0 ? blocked(readdirSync('/run/bottle').join(' ')) : through(found.join(' '));
    },
  },
  {
    name: 'other runs',
    tries: 'the home of the host, and the directories of this and other runs by their paths there',
    run: (targets) => {
      const found = [targets.home, targets.canary, '/var/lib/docker', '/var/lib/docker/volumes'].filter(
        (path) => existsSync(path),
      );
      return found.length === 0 ? blocked('none') : through(found.join(' '));
    },
  },
  {
    name: 'run from /dev/shm',
    tries: 'to run a program from shared memory',
    control: false,
    run: () => {
      const said = shell(
        'cp /bin/true /dev/shm/t && chmod +x /dev/shm/t && /dev/shm/t && echo ran; rm -f /dev/shm/t',
      );
      return /Permission denied/.test(said) ? blocked(said.slice(0, 120)) : through(said);
    },
  },
  {
    name: 'set-user-id in /tmp',
    tries: 'mounts of /tmp, home and shared memory that take set-user-id programs or devices',
    run: () => {
      const lines = readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .filter((line) => /^\S+ (\/tmp|\/dev\/shm) /.test(line));
      const options = lines.map((line) => line.split(' ')[3].split(','));
      const good =
        options.length === 2 && options.every((list) => list.includes('nosuid') && list.includes('nodev'));
      return good ? blocked('nosuid, nodev') : through(lines.join('; '));
    },
  },
  {
    name: 'host’s file by descriptor',
    tries: 'to open a parent of the turn’s directory through a descriptor of it',
    run: () => {
      const directory = openSync('/run/bottle/turn', 'r');
      const seen = attempt(() => readFileSync(`/proc/self/fd/${directory}/../record.json`));
      closeSync(directory);
      return refusedAs(seen, 'ENOENT');
    },
  },
  refused('io on immutable', 'to change the owner of a file of the host', () => {
    const said = shell('chown 0:0 /workspace 2>&1 && echo ok');
    if (said === 'ok') return;
    throw Object.assign(new Error(said), { code: 'EPERM' });
  }),
  {
    name: 'quota by ioctl',
    tries: 'to make a file immutable, so that it cannot be removed',
    run: () => {
      // FS_IOC_SETFLAGS with FS_IMMUTABLE_FL.
      const said = shell(
        `cd /workspace && printf x >immutable && perl -e 'open my $f, "<", "immutable"; my $flags = pack("l!", 0x10); print ioctl($f, 0x40086602, $flags) ? "ok" : $! + 0'; rm -f immutable`,
      );
      return refusedAs(said, '1', '95', '25');
    },
  },
  {
    name: 'traps',
    tries: 'links, pipes, sockets, holes, depth and closed directories for the host to trip over',
    run: leaveTraps,
  },
  {
    name: 'mount point of the workspace',
    tries: 'to replace the workspace itself by a link',
    run: () =>
      refusedAs(
        attempt(() => renameSync('/workspace', '/tmp/w')),
        ...REFUSALS,
      ),
  },
  {
    name: 'bind over a file',
    tries: 'to bind a file of its own over /etc/passwd',
    run: () => refusedAs(call('mount', '"/tmp"', '"/etc"', 0, 4096, 0), 'EPERM'),
  },
];
