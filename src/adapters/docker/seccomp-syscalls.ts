/**
 * The system calls a bottle may make: Docker's published default list (moby, profiles/seccomp/default.json) for a
 * container without capabilities, less what a coding agent has no use for. Left out on purpose, beside everything the
 * default refuses already: io_uring_* (its operations pass by seccomp), keyctl, add_key, request_key (keys are not
 * per container), userfaultfd, bpf, perf_event_open, fanotify_*, name_to_handle_at, memfd_secret, modify_ldt,
 * adjtimex and clock_adjtime, quotactl, every spelling of mount, and the 32-bit spellings (only the native
 * architecture is allowed). `socket`, `socketpair`, `clone`, `clone3` and `personality` are decided by their arguments.
 */
const FILES = `
  access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64
  fallocate fchdir fchmod fchmodat fchmodat2 fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fremovexattr
  fsetxattr fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 getxattr inotify_add_watch inotify_init
  inotify_init1 inotify_rm_watch ioctl lchown lgetxattr link linkat listxattr llistxattr lremovexattr lseek lsetxattr
  lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2 pread64 preadv preadv2 pwrite64 pwritev pwritev2
  read readahead readlink readlinkat readv removexattr rename renameat renameat2 rmdir sendfile setxattr splice stat
  statfs statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes
  vmsplice write writev cachestat`;

const EVENTS_AND_TIME = `
  alarm clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_ctl_old epoll_pwait
  epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 getitimer gettimeofday io_cancel io_destroy io_getevents
  io_pgetevents io_setup io_submit nanosleep pipe pipe2 poll ppoll pselect6 select setitimer signalfd signalfd4 time
  timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
  timerfd_settime times`;

const SOCKETS_AND_IPC = `
  accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg
  sendto setsockopt shutdown mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget
  msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget`;

const MEMORY = `
  brk madvise membarrier memfd_create mincore mlock mlock2 mlockall mmap mprotect mremap mseal msync munlock munlockall
  munmap pkey_alloc pkey_free pkey_mprotect map_shadow_stack`;

const PROCESSES = `
  capget capset execve execveat exit exit_group fork futex futex_requeue futex_wait futex_waitv futex_wake
  get_robust_list get_thread_area getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid getpriority
  getrandom getresgid getresuid getrlimit getrusage getsid gettid getuid ioprio_get ioprio_set kill
  landlock_add_rule landlock_create_ruleset landlock_restrict_self pause pidfd_open pidfd_send_signal prctl prlimit64
  process_mrelease process_vm_readv process_vm_writev ptrace restart_syscall rseq rt_sigaction rt_sigpending
  rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sched_get_priority_max
  sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
  sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield seccomp set_robust_list
  set_thread_area set_tid_address setfsgid setfsuid setgid setgroups setpgid setpriority setregid setresgid setresuid
  setreuid setrlimit setsid setuid sigaltstack sysinfo tgkill tkill uname vfork wait4 waitid`;

/** Allowed whatever the arguments are. */
export const ALLOWED_SYSCALLS: readonly string[] = [
  FILES,
  EVENTS_AND_TIME,
  SOCKETS_AND_IPC,
  MEMORY,
  PROCESSES,
]
  .flatMap((group) => group.trim().split(/\s+/))
  .sort();

/** Allowed on one architecture only (Docker's names of architectures). */
export const ALLOWED_ON: Readonly<Record<string, readonly string[]>> = {
  amd64: ['arch_prctl'],
  riscv64: ['riscv_flush_icache'],
};
