import assert from 'node:assert/strict';
import { seccompOption, seccompProfile } from '../../../../src/adapters/docker/seccomp-profile.js';

describe('seccomp profile', () => {
  const { defaultAction, archMap, syscalls } = seccompProfile();
  const allowed = syscalls.filter(({ action }) => action === 'SCMP_ACT_ALLOW');
  const rulesOf = (name: string): typeof syscalls => syscalls.filter(({ names }) => names.includes(name));

  it('refuses what it does not name', () => {
    assert.equal(defaultAction, 'SCMP_ACT_ERRNO');
    assert.ok(allowed.flatMap(({ names }) => names).length > 250);
  });

  it('names nothing twice without looking at the arguments', () => {
    const plain = allowed.filter(({ args }) => args === undefined).flatMap(({ names }) => names);
    assert.equal(new Set(plain).size, plain.length);
    for (const name of plain) assert.match(name, /^[a-z][a-z0-9_]+$/);
    const byArgument = syscalls.filter(({ args }) => args !== undefined).flatMap(({ names }) => names);
    assert.deepEqual(
      byArgument.filter((name) => plain.includes(name)),
      [],
    );
  });

  it('allows sockets of four families and no way around', () => {
    assert.deepEqual(
      rulesOf('socket').map(({ args }) => args),
      [1, 2, 10, 16].map((value) => [{ index: 0, value, op: 'SCMP_CMP_EQ' }]),
    );
    assert.deepEqual(rulesOf('socketcall'), []);
    for (const { subArchitectures } of archMap) assert.deepEqual(subArchitectures, []);
  });

  it('allows no new namespace', () => {
    const flags = {
      NEWNS: 0x20000,
      NEWCGROUP: 0x2000000,
      NEWUTS: 0x4000000,
      NEWIPC: 0x8000000,
      NEWUSER: 0x10000000,
      NEWPID: 0x20000000,
      NEWNET: 0x40000000,
    };
    const mask = Object.values(flags).reduce((sum, flag) => sum + flag);
    assert.deepEqual(
      rulesOf('clone').map(({ args }) => args),
      [[{ index: 0, value: mask, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }]],
    );
    assert.deepEqual(
      rulesOf('clone3').map(({ action, errnoRet }) => [action, errnoRet]),
      [['SCMP_ACT_ERRNO', 38]],
    );
    for (const name of ['unshare', 'setns']) assert.deepEqual(rulesOf(name), []);
  });

  const DANGEROUS =
    `io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key userfaultfd bpf
    perf_event_open mount umount2 move_mount open_tree fsopen fsmount pivot_root chroot kexec_load init_module
    finit_module delete_module reboot swapon swapoff name_to_handle_at open_by_handle_at fanotify_init iopl ioperm
    settimeofday clock_settime adjtimex clock_adjtime syslog quotactl acct lookup_dcookie kcmp modify_ldt vhangup
    pidfd_getfd process_madvise memfd_secret`.split(/\s+/);
  for (const name of DANGEROUS) {
    it(`does not name ${name}`, () => {
      assert.deepEqual(rulesOf(name), []);
    });
  }

  it('is one option of the engine, as JSON', () => {
    const option = seccompOption();
    assert.deepEqual(
      JSON.parse(option.slice('seccomp='.length)),
      JSON.parse(JSON.stringify(seccompProfile())),
    );
  });
});
