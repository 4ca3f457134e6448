// What the probes try things with. They run inside a bottle: node, bash and perl are all there is.
import { spawnSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { constants } from 'node:os';

/** What came of an attack. Evidence is for the report; only `blocked` decides. */
export const blocked = (evidence) => ({ blocked: true, evidence: String(evidence) });
export const through = (evidence) => ({ blocked: false, evidence: String(evidence) });
/** Blocked exactly when the evidence is one of the refusals that were expected. */
export const refusedAs = (evidence, ...expected) =>
  expected.includes(evidence) ? blocked(evidence) : through(evidence);

const NAMES = Object.fromEntries(Object.entries(constants.errno).map(([name, number]) => [number, name]));
const SILENCE_MS = 2_000;

export function errorName(number) {
  return number === 0 ? 'ok' : (NAMES[number] ?? `errno ${number}`);
}

/** Output of a perl program; when a signal ended it, that. */
export function perl(code, ...args) {
  const { stdout, stderr, signal } = spawnSync('perl', ['-e', code, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return signal ?? (stdout.trim() || stderr.trim().slice(0, 200));
}

export function shell(code) {
  const { stdout, stderr, signal } = spawnSync('bash', ['-c', code], { encoding: 'utf8', timeout: 20_000 });
  return signal ?? `${stdout}${stderr}`.trim();
}

const NUMBERS = {
  x64: {
    ...{ socket: 41, ptrace: 101, syslog: 103, setuid: 105, setgid: 106, capset: 126, personality: 135 },
    ...{ mknod: 133, pivot_root: 155, chroot: 161, acct: 163, settimeofday: 164, mount: 165, umount2: 166 },
    ...{
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      sethostname: 170,
      setdomainname: 171,
      iopl: 172,
      ioperm: 173,
    },
    ...{ init_module: 175, delete_module: 176, quotactl: 179, adjtimex: 159, vhangup: 153, modify_ldt: 154 },
    ...{
      lookup_dcookie: 212,
      clock_settime: 227,
      mbind: 237,
      set_mempolicy: 238,
      kexec_load: 246,
      add_key: 248,
    },
    ...{
      request_key: 249,
      keyctl: 250,
      migrate_pages: 256,
      unshare: 272,
      move_pages: 279,
      perf_event_open: 298,
    },
    ...{
      fanotify_init: 300,
      name_to_handle_at: 303,
      open_by_handle_at: 304,
      setns: 308,
      getcpu: 309,
      kcmp: 312,
    },
    ...{ finit_module: 313, kexec_file_load: 320, bpf: 321, userfaultfd: 323, setgroups: 116, clone: 56 },
    ...{ sched_setscheduler: 144, setpriority: 141, prctl: 157 },
  },
  arm64: {
    ...{ socket: 198, ptrace: 117, syslog: 116, setuid: 146, setgid: 144, capset: 91, personality: 92 },
    ...{ pivot_root: 41, chroot: 51, acct: 89, settimeofday: 170, mount: 40, umount2: 39, swapon: 224 },
    ...{
      swapoff: 225,
      reboot: 142,
      sethostname: 161,
      setdomainname: 162,
      init_module: 105,
      delete_module: 106,
    },
    ...{ quotactl: 60, adjtimex: 171, vhangup: 58, lookup_dcookie: 18, clock_settime: 112, mbind: 235 },
    ...{
      set_mempolicy: 237,
      kexec_load: 104,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      migrate_pages: 238,
    },
    ...{ unshare: 97, move_pages: 239, perf_event_open: 241, fanotify_init: 262, name_to_handle_at: 264 },
    ...{ open_by_handle_at: 265, setns: 268, kcmp: 272, finit_module: 273, kexec_file_load: 294, bpf: 280 },
    ...{
      userfaultfd: 282,
      setgroups: 159,
      clone: 220,
      sched_setscheduler: 119,
      setpriority: 140,
      prctl: 167,
    },
  },
};
/** The same number everywhere. */
const NEWER = {
  ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, open_tree: 428, move_mount: 429 },
  ...{
    fsopen: 430,
    fsconfig: 431,
    fsmount: 432,
    fspick: 433,
    clone3: 435,
    pidfd_getfd: 438,
    mount_setattr: 442,
  },
  ...{ process_madvise: 440, quotactl_fd: 443, memfd_secret: 447, statmount: 457, listmount: 458 },
};
const numbers = { ...(NUMBERS[process.arch] ?? {}), ...NEWER };

export function hasCall(name) {
  return numbers[name] !== undefined;
}

/** The error's name, `ok`, or the signal that ended the caller: perl's `syscall` takes any number. */
export function call(name, ...args) {
  // Through an array: a string that is written in the program itself can't be handed to the kernel.
  const result = perl(
    `my @args = (${args.join(', ')}); $! = 0; print syscall(${numbers[name]}, @args) < 0 ? $! + 0 : 0`,
  );
  return /^\d+$/.test(result) ? errorName(Number(result)) : result;
}

export function socketOf(family, type, protocol = 0) {
  return call('socket', family, type, protocol);
}

/** `connected`, or why not. */
export function tcp(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, family: host.includes(':') ? 6 : 4 });
    const end = (what) => {
      socket.destroy();
      resolve(what);
    };
    socket.setTimeout(SILENCE_MS, () => end('silence'));
    socket.on('connect', () => end('connected'));
    socket.on('error', (error) => end(error.code ?? error.message));
  });
}

export async function resolveName(name) {
  try {
    return (await lookup(name)).address;
  } catch (error) {
    return error.code;
  }
}

/** A UDP datagram leaves, or why it does not. */
export function udp(host, port) {
  return perl(
    `use Socket; socket(my $s, AF_INET, SOCK_DGRAM, 0) or die $!;
     print defined send($s, 'x', 0, pack_sockaddr_in(${port}, inet_aton('${host}'))) ? 'sent' : $! + 0`,
  );
}

/** Connects to an abstract Unix socket, whose name is padded as Node pads it. */
export function abstractSocket(name) {
  const result = perl(
    `use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0) or die $!;
     print connect($s, pack('S a108', 1, "\\0" . $ARGV[0])) ? 0 : $! + 0`,
    name,
  );
  return /^\d+$/.test(result) ? errorName(Number(result)) : result;
}

/** Opens and closes; writes nothing. */
export function opens(path, flags) {
  try {
    closeSync(openSync(path, flags));
    return 'ok';
  } catch (error) {
    return error.code;
  }
}

export function attempt(work) {
  try {
    work();
    return 'ok';
  } catch (error) {
    return error.code ?? error.message;
  }
}
