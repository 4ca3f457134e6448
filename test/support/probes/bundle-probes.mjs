// Runs inside the sidecar's container, as a sidecar that was taken over would, and prints its report as JSON lines.
// Alone in its file: there is no directory in that container to put another one into.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

const targets = JSON.parse(process.env.PROBE_TARGETS);
const report = (name, isBlocked, evidence) =>
  console.log(JSON.stringify({ group: 'bundle', name, blocked: isBlocked, evidence: String(evidence) }));

const tcp = (host, port) =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (what) => {
      socket.destroy();
      resolve(what);
    };
    socket.setTimeout(2_000, () => end('silence'));
    socket.on('connect', () => end('connected'));
    socket.on('error', (error) => end(error.code));
  });
const attempt = (work) => {
  try {
    work();
    return 'ok';
  } catch (error) {
    return error.code;
  }
};
const perl = (code) => spawnSync('perl', ['-e', code], { encoding: 'utf8' }).stdout;

const hosts = ['127.0.0.1', targets.gateway, ...targets.addresses];
for (const [name, port] of Object.entries(targets.closedPorts)) {
  const results = await Promise.all(hosts.map((host) => tcp(host, port)));
  report(name, !results.includes('connected'), results.join(', '));
}

const sockets = ['/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock'].filter(
  (path) => existsSync(path),
);
report('engine’s sockets', sockets.length === 0, sockets.join(' ') || 'none');
const visible = execFileSync('sh', ['-c', 'find / -type s -not -path "/proc/*" 2>/dev/null || true'], {
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .sort();
report(
  'sockets of others',
  visible.every((path) => /^\/run\/bottle\/(sock|loopback)\/[a-z]+\.sock$/.test(path)),
  visible.join(' '),
);
const abstract = readFileSync('/proc/net/unix', 'utf8').match(/@\S+/g) ?? [];
report('abstract sockets', abstract.length === 0, abstract.join(' ') || 'none');

const { mode, uid } = statSync('/run/bottle/forge-token');
report('mode of the token', (mode & 0o777) === targets.tokenMode, `${(mode & 0o777).toString(8)} of ${uid}`);
for (const [name, path] of [
  ['write: token', '/run/bottle/forge-token'],
  ['write: answers', '/run/bottle/in/probe'],
  ['write: turn', '/run/bottle/in/turn.json'],
  ['write: secrets', '/run/bottle/secrets/probe'],
  ['write: configuration', '/run/bottle/config/probe'],
  ['write: root', '/probe'],
  ['write: own program', '/opt/bottle/bundle.mjs'],
]) {
  const result = attempt(() => writeFileSync(path, 'x'));
  report(name, ['EROFS', 'EACCES', 'ENOENT'].includes(result), result);
}
const program = '/tmp/program';
writeFileSync(program, '#!/bin/sh\necho ran\n', { mode: 0o755 });
const ran = spawnSync(program, { encoding: 'utf8' });
report('run from /tmp', ran.error?.code === 'EACCES', ran.error?.code ?? ran.stdout);

const status = readFileSync('/proc/self/status', 'utf8');
const rights = status
  .match(/^(CapEff|CapBnd|NoNewPrivs|Seccomp|Uid):.*$/gm)
  .join(' ')
  .replaceAll('\t', ' ');
report(
  'rights',
  /CapEff: 0{16}/.test(rights) &&
    /CapBnd: 0{16}/.test(rights) &&
    /NoNewPrivs: 1/.test(rights) &&
    /Seccomp: 2/.test(rights) &&
    !/Uid: (0|1000) /.test(rights),
  rights,
);
for (const [name, code] of [
  ['raw socket', 'socket(my $s, 2, 3, 1) ? print 0 : print $! + 0'],
  ['packet socket', 'socket(my $s, 17, 3, 0) ? print 0 : print $! + 0'],
  [
    'new namespace',
    'print syscall(process.arch === 0 ? 0 : UNSHARE, 0x10000000) < 0 ? $! + 0 : 0'.replace(
      'process.arch === 0 ? 0 : UNSHARE',
      process.arch === 'arm64' ? '97' : '272',
    ),
  ],
]) {
  const result = perl(code);
  report(name, result === '1', `errno ${result}`);
}
const others = ['/workspace', '/home/agent', '/run/bottle/turn', targets.home, '/var/lib/docker'].filter(
  (path) => existsSync(path) && readdirSync(path).length > 0,
);
report('files of the agent and the host', others.length === 0, others.join(' ') || 'none');
const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
report('processes of others', pids.length < 10, `${pids.length} processes`);
const found = execFileSync(
  'sh',
  ['-c', 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"; true'],
  { encoding: 'utf8' },
);
report(
  'secrets in environment and arguments',
  !new RegExp('[0-9a-f]{40}').test(found.replaceAll(process.env.PROBE_TARGETS, '')),
  'none that looks like one',
);
