import { ALLOWED_ON, ALLOWED_SYSCALLS } from './seccomp-syscalls.js';

interface ArgumentTest {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
}

interface SyscallRule {
  readonly names: readonly string[];
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO';
  readonly args?: readonly ArgumentTest[];
  readonly errnoRet?: number;
  readonly includes?: { readonly arches: readonly string[] };
}

/** A profile as Docker's API takes it inline (docs.docker.com/engine/security/seccomp). */
export interface SeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO';
  readonly defaultErrnoRet: number;
  readonly archMap: readonly {
    readonly architecture: string;
    readonly subArchitectures: readonly string[];
  }[];
  readonly syscalls: readonly SyscallRule[];
}

const EPERM = 1;
const ENOSYS = 38;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: Docker's default also lets AF_VSOCK, AF_PACKET, AF_ALG and the rest through. */
const SOCKET_FAMILIES = [1, 2, 10, 16];
const AF_UNIX = 1;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET: no new namespaces. */
const CLONE_NAMESPACES = 0x7e020000;

/** PER_LINUX, PER_LINUX32, UNAME26, both, and "only ask": as Docker's default. */
const PERSONALITIES = [0x0, 0x8, 0x20000, 0x20008, 0xffffffff];

/**
 * Deny by default. Only the machine's native architecture is listed, so a call through the 32-bit entry (where
 * `socketcall` hides its arguments behind a pointer) or the x32 one kills the caller. An argument is compared in its
 * full 64 bits; an allow list is safe there, a single refused value ("not 40") would not be.
 */
export function seccompProfile(): SeccompProfile {
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    archMap: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64', 'SCMP_ARCH_RISCV64'].map((architecture) => ({
      architecture,
      subArchitectures: [],
    })),
    syscalls: [
      { names: ALLOWED_SYSCALLS, action: 'SCMP_ACT_ALLOW' },
      ...Object.entries(ALLOWED_ON).map(([arch, names]): SyscallRule => ({
        names,
        action: 'SCMP_ACT_ALLOW',
        includes: { arches: [arch] },
      })),
      ...SOCKET_FAMILIES.map((family) => allowWhenEqual('socket', family)),
      allowWhenEqual('socketpair', AF_UNIX),
      ...PERSONALITIES.map((persona) => allowWhenEqual('personality', persona)),
      {
        names: ['clone'],
        action: 'SCMP_ACT_ALLOW',
        args: [{ index: 0, value: CLONE_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }],
      },
      // Its flags are behind a pointer; with ENOSYS libraries fall back to clone.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: ENOSYS },
    ],
  };
}

/** The profile as an entry of `HostConfig.SecurityOpt`. */
export function seccompOption(): string {
  return `seccomp=${JSON.stringify(seccompProfile())}`;
}

function allowWhenEqual(name: string, value: number): SyscallRule {
  return { names: [name], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, value, op: 'SCMP_CMP_EQ' }] };
}
