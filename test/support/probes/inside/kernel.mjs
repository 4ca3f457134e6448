// System calls and kernel files that could lead out of the container or to more rights.
import { readFileSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { blocked, call, hasCall, opens, perl, refusedAs, shell, through } from './tools.mjs';

const syscall = (name, args = [0, 0, 0, 0, 0], { control = false, tries = `${name}()`, as = name } = {}) => ({
  name: `syscall: ${as}`,
  tries,
  control,
  // The filter says EPERM, for a few that programs fall back from ENOSYS. Anything else came from behind it.
  run: () =>
    hasCall(name) ? refusedAs(call(name, ...args), 'EPERM', 'ENOSYS') : blocked('not on this machine'),
});

const kernelFile = (name, path, flags = 'r+') => ({
  name,
  tries: `to open ${path}`,
  run: () => refusedAs(opens(path, flags), 'EROFS', 'EACCES', 'EPERM', 'ENOENT'),
});

const NEW = { mount: 0x00020000, user: 0x10000000, pid: 0x20000000, network: 0x40000000, cgroup: 0x02000000 };

export const kernel = [
  ...Object.entries(NEW).map(([kind, flag]) =>
    syscall('unshare', [flag], {
      as: `unshare (${kind})`,
      tries: `unshare of a new ${kind} namespace`,
      control: true,
    }),
  ),
  syscall('clone', [`${NEW.user} | 17`, 0, 0, 0, 0], {
    as: 'clone (user)',
    tries: 'clone into a new user namespace',
  }),
  syscall('clone3', [0, 0], { tries: 'clone3, whose flags no filter can see' }),
  syscall('setns', [0, 0], { control: true }),
  syscall('mount', [0, '"/tmp"', '"tmpfs"', 0, 0], { tries: 'mount of a tmpfs' }),
  syscall('mount', [0, '"/"', 0, '32 | 4096', 0], { as: 'mount (remount)', tries: 'the root, writable' }),
  ...['fsopen', 'open_tree', 'move_mount', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr'].map((name) =>
    syscall(name),
  ),
  syscall('umount2', ['"/run/bottle/sock"', 2], { tries: 'to unmount the sockets’ directory' }),
  syscall('pivot_root', ['"/tmp"', '"/tmp"']),
  syscall('chroot', ['"/tmp"'], { control: true }),
  syscall('open_by_handle_at', [-100, 0, 0], { tries: 'open_by_handle_at, as “shocker” did' }),
  syscall('name_to_handle_at'),
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register'].map((name) =>
    syscall(name, undefined, { control: true }),
  ),
  ...['keyctl', 'add_key', 'request_key'].map((name) => syscall(name, undefined, { control: true })),
  ...['userfaultfd', 'memfd_secret', 'modify_ldt', 'kcmp', 'pidfd_getfd', 'process_madvise'].map((name) =>
    syscall(name),
  ),
  ...['bpf', 'perf_event_open', 'fanotify_init'].map((name) => syscall(name)),
  ...['init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load'].map((name) =>
    syscall(name),
  ),
  ...['reboot', 'swapon', 'swapoff', 'acct', 'quotactl', 'quotactl_fd', 'vhangup', 'syslog'].map((name) =>
    syscall(name),
  ),
  ...['settimeofday', 'clock_settime', 'adjtimex', 'sethostname', 'setdomainname'].map((name) =>
    syscall(name),
  ),
  ...['iopl', 'ioperm', 'lookup_dcookie', 'mbind', 'set_mempolicy', 'move_pages', 'migrate_pages'].map(
    (name) => syscall(name),
  ),
  syscall('personality', ['0x0040000'], { tries: 'personality without address randomisation' }),
  syscall('setuid', [0], { tries: 'setuid(0)', control: true }),
  syscall('setgid', [0], { tries: 'setgid(0)', control: true }),
  syscall('setgroups', [0, 0], { tries: 'setgroups', control: true }),
  syscall('sched_setscheduler', [0, 1, 'pack("l", 50)'], { tries: 'real-time priority' }),
  {
    name: 'nice',
    tries: 'a better priority than others',
    run: () => refusedAs(call('setpriority', 0, 0, -20), 'EACCES', 'EPERM'),
  },
  {
    name: 'oom score',
    tries: 'to be the last process that the kernel kills',
    run: () => {
      const said = shell('echo -1000 >/proc/self/oom_score_adj && cat /proc/self/oom_score_adj');
      return /Permission denied/.test(said) ? blocked(said.slice(0, 120)) : through(said);
    },
  },
  {
    name: 'device node',
    tries: 'mknod of the host’s disk in the workspace, home and /tmp',
    control: true,
    run: () => {
      const results = ['/workspace', '/home/agent', '/tmp'].map((dir) =>
        shell(`mknod ${dir}/disk-node b 8 0 && rm ${dir}/disk-node && echo made`),
      );
      return results.some((text) => text === 'made') ? through(results.join('; ')) : blocked(results[0]);
    },
  },
  kernelFile('sysrq', '/proc/sysrq-trigger', 'a'),
  kernelFile('core_pattern', '/proc/sys/kernel/core_pattern'),
  kernelFile('modprobe', '/proc/sys/kernel/modprobe'),
  kernelFile('binfmt_misc', '/proc/sys/fs/binfmt_misc/register', 'a'),
  kernelFile('sysctl, kernel', '/proc/sys/kernel/hostname'),
  kernelFile('sysctl, network', '/proc/sys/net/ipv4/ip_forward'),
  kernelFile('sysctl, memory', '/proc/sys/vm/drop_caches', 'a'),
  kernelFile('kcore', '/proc/kcore', 'r'),
  kernelFile('physical memory', '/dev/mem', 'r'),
  kernelFile('kernel messages', '/dev/kmsg', 'r'),
  kernelFile('fuse', '/dev/fuse'),
  kernelFile('kvm', '/dev/kvm'),
  kernelFile('tun', '/dev/net/tun'),
  kernelFile('uevent helper', '/sys/kernel/uevent_helper'),
  kernelFile('power state', '/sys/power/state'),
  {
    name: 'masked files',
    tries: 'to read keys, timers and firmware tables',
    run: () => {
      const shown = ['/proc/keys', '/proc/timer_list'].filter((file) => {
        try {
          return readFileSync(file).length > 0;
        } catch {
          return false;
        }
      });
      const firmware = shell('ls /sys/firmware /proc/acpi /proc/scsi 2>/dev/null | grep -v : | head -1');
      return shown.length === 0 && firmware === ''
        ? blocked('empty')
        : through([...shown, firmware].join(' '));
    },
  },
  {
    name: 'block devices',
    tries: 'to find a disk, a memory or a graphics device',
    run: () => {
      const found = readdirSync('/dev').filter((name) =>
        /^(sd|vd|nvme|xvd|mem|kmem|port|kmsg|fuse|kvm|vhost|dm-|loop|dri|mapper)/.test(name),
      );
      return found.length === 0 ? blocked('none') : through(found.join(' '));
    },
  },
  {
    name: 'cgroup',
    tries: 'release_agent, a cgroup of its own, and a larger limit',
    control: false,
    run: () => {
      const said = shell(
        `for g in /sys/fs/cgroup /sys/fs/cgroup/*/; do
           mkdir "$g/mine" 2>/dev/null && echo "made $g"
           for f in release_agent notify_on_release memory.limit_in_bytes memory.max pids.max devices.allow cgroup.procs; do
             [ -e "$g/$f" ] && { : >>"$g/$f"; } 2>/dev/null && echo "opened $g/$f"
           done
         done; true`,
      );
      return said === '' ? blocked('nothing could be made or opened') : through(said);
    },
  },
  {
    name: 'root of pid 1',
    tries: 'to find a file of the host below /proc/*/root and /proc/*/cwd',
    run: (targets) => {
      const found = readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .flatMap((pid) => [`/proc/${pid}/root${targets.canary}`, `/proc/${pid}/cwd/../..${targets.canary}`])
        .filter((path) => opens(path, 'r') === 'ok');
      return found.length === 0 ? blocked('not there') : through(found.join(' '));
    },
  },
  {
    name: 'processes',
    tries: 'to see a process of the host or of another bottle',
    control: true,
    run: () => {
      const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
      const owners = new Set(
        pids.map((pid) => /^Uid:\s+(\d+)/m.exec(shell(`cat /proc/${pid}/status 2>/dev/null`))?.[1] ?? '1000'),
      );
      const evidence = `${pids.length} processes of uid ${[...owners].join(', ')}`;
      return owners.size === 1 && owners.has('1000') && pids.length < 30
        ? blocked(evidence)
        : through(evidence);
    },
  },
  {
    name: 'kill a host process',
    tries: 'a signal to a process of the host, by its number there',
    run: (targets) => {
      const results = targets.hostPids.map((pid) => perl(`print kill(0, ${pid}) ? 'reached' : $! + 0`));
      return results.every((what) => what === '3' || what === '1')
        ? blocked(`errno ${results.join(', ')}`)
        : through(results.join(', '));
    },
  },
  {
    name: 'ptrace of a host process',
    tries: 'PTRACE_ATTACH to a process of the host',
    run: (targets) => refusedAs(call('ptrace', 16, targets.hostPids[0], 0, 0), 'ESRCH', 'EPERM'),
  },
  {
    name: 'rights of init',
    tries: 'to find more rights in pid 1, which the agent’s uid may trace',
    run: () => {
      const rights = (pid) =>
        readFileSync(`/proc/${pid}/status`, 'utf8')
          .match(/^(Cap\w+|Uid|Gid|NoNewPrivs|Seccomp):.*$/gm)
          ?.join(' ');
      return rights(1) === rights('self') && /CapEff:\t0{16}/.test(rights(1))
        ? blocked('the same')
        : through(rights(1));
    },
  },
  {
    name: 'setuid program',
    tries: 'to become root by su, newgrp or another set-user-id program',
    control: true,
    run: () => {
      const tries = ['su -s /bin/sh -c "id -u" root', 'newgrp root -c "id -u"'].map((line) =>
        shell(`${line} </dev/null 2>/dev/null | tail -n 1`),
      );
      const listed = shell('find / -xdev -perm /6000 -type f 2>/dev/null | wc -l');
      return tries.includes('0') || listed !== '0'
        ? through(`${tries.join(' ')}, ${listed} set-user-id files`)
        : blocked('there is none, and what is left of them gives nothing');
    },
  },
  {
    name: 'no new privileges',
    tries: 'to take no_new_privs back',
    run: () => {
      // PR_SET_NO_NEW_PRIVS takes 1 only; PR_GET_NO_NEW_PRIVS is 39.
      const back = call('prctl', 38, 0, 0, 0, 0);
      const status = /^NoNewPrivs:\s+(\d)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
      return back === 'EINVAL' && status === '1'
        ? blocked(`${back}, still ${status}`)
        : through(`${back}, ${status}`);
    },
  },
  {
    name: 'file capabilities',
    tries: 'to find a program with capabilities of its own',
    run: () => {
      const number = process.arch === 'arm64' ? 8 : 191;
      const found = perl(
        `for my $d (split ' ', '/usr/bin /usr/sbin /usr/local/bin /usr/lib') { for my $f (glob "$d/*") {
           my $n = 'security.capability'; my $b = "\\0" x 64;
           print "$f " if syscall(${number}, $f, $n, $b, 64) > 0 } }`,
      );
      return found === '' ? blocked('none') : through(found);
    },
  },
  {
    name: 'host name',
    tries: 'to learn the host’s name',
    control: true,
    run: (targets) => {
      const told = `${hostname()} ${readFileSync('/etc/hosts', 'utf8')} ${readFileSync('/etc/hostname', 'utf8')}`;
      return hostname() === 'bottle' && !told.includes(targets.hostname)
        ? blocked(hostname())
        : through(told.slice(0, 200));
    },
  },
];
