import type Docker from 'dockerode';
import { CURRENT_CONFIG_DIR } from '../../domain/egress/ports.js';
import { LABEL_ROLE, LABEL_SLUG } from './names-and-labels.js';
import { seccompOption } from './seccomp-profile.js';

/**
 * What a container of ours lacks of its hardening, by what the engine says of it. Written down apart from
 * `hardening.ts` on purpose: a line lost there must be missed here.
 */

type Texts = readonly string[] | null | undefined;
/** What dockerode's types lack, or leave open. */
type HostConfig = Omit<Docker.HostConfig, 'CapDrop' | 'SecurityOpt' | 'MaskedPaths' | 'ReadonlyPaths'> & {
  readonly DeviceCgroupRules?: unknown;
  readonly CapDrop?: Texts;
  readonly SecurityOpt?: Texts;
  readonly MaskedPaths?: Texts;
  readonly ReadonlyPaths?: Texts;
};
type Role = 'agent' | 'bundle' | 'once';

/** Each of these gives something, whatever it is set to. */
const NEVER_SET = {
  Privileged: 'is privileged',
  CapAdd: 'has capabilities',
  GroupAdd: 'is in more groups',
  PidMode: 'sees the processes of others',
  UTSMode: 'has the host’s name',
  UsernsMode: 'has the host’s users',
  CgroupParent: 'is not below the engine’s control group',
  Devices: 'has devices',
  DeviceRequests: 'has devices by request',
  DeviceCgroupRules: 'may use more devices',
  Sysctls: 'changes kernel settings',
  ExtraHosts: 'knows other hosts by name',
  PortBindings: 'publishes ports',
  PublishAllPorts: 'publishes all ports',
  OomKillDisable: 'is not killed when memory runs out',
  OomScoreAdj: 'is killed later than others when memory runs out',
} as const satisfies Partial<Record<keyof HostConfig, string>>;

const MASKED = ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware'];
const READ_ONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];
const MAX_SHM_BYTES = 64 * 1024 * 1024;

/**
 * How the source ends, `*` for the run's slug, or which of the run's volumes it is, or what it is in the run directory of a
 * sync; and whether it may be written.
 */
type AllowedMount = { readonly rw: boolean; readonly ofSync?: string } & (
  { readonly ends: string } | { readonly volume: string }
);

/** `$XDG_STATE_HOME/forklift/runs/<project>_<YYYYMMDD_HHMMSS>/`, as `sync-names.ts` has it. */
const SYNC_RUN = /\/forklift\/runs\/[A-Za-z0-9._-]+_\d{8}_\d{6}\/([a-z-]+)$/;

/** As `run-layout.ts` lays them out. */
const MOUNTS: Readonly<Record<'agent' | 'bundle', Readonly<Record<string, AllowedMount>>>> = {
  agent: {
    '/workspace': { ends: '/*/workspace', ofSync: 'workspace', rw: true },
    '/run/bottle/turn': { ends: '/*/turn', rw: false },
    [CURRENT_CONFIG_DIR]: { ends: '/*/config', rw: false },
    '/run/bottle/sock': { volume: 'sock', rw: false },
    '/home/agent': { volume: 'home', ofSync: 'harness-state', rw: true },
  },
  bundle: {
    '/run/bottle/sock': { volume: 'sock', rw: true },
    '/run/bottle/out': { ends: '/*/queue/out', rw: true },
    '/run/bottle/in': { ends: '/*/queue/in', rw: false },
    '/run/bottle/forge-token': { ends: '/*/bundle/forge-token', rw: false },
    '/run/bottle/secrets': { ends: '/*/bundle/secrets', rw: false },
    '/run/bottle/config': { ends: '/*/config', rw: false },
    '/run/bottle/ca.pem': { ends: '', rw: false },
    '/run/bottle/loopback': { ends: '/loopback', rw: false },
  },
};

/**
 * @param info the engine's answer about a container that carries our labels
 * @param secrets values that nobody may find in that answer
 * @returns what is wrong with it, in words that follow "it"; nothing for a container as we make it
 */
export function weaknessesOf(
  info: Docker.ContainerInspectInfo,
  secrets: Iterable<string> = [],
): readonly string[] {
  const { [LABEL_SLUG]: slug = '', [LABEL_ROLE]: role = '' } = info.Config.Labels;
  if (role !== 'agent' && role !== 'bundle' && role !== 'once') return ['has a role that no container has'];
  const shown = JSON.stringify(info);
  return [
    ...neverSet(info.HostConfig, role),
    ...RULES.filter(([, holds]) => !holds(info.HostConfig, role, info)).map(([weakness]) => weakness),
    ...info.Mounts.flatMap((mount) => wrongMount(mount, slug, role)),
    ...([...secrets].some((secret) => shown.includes(secret)) ? ['shows a secret to docker inspect'] : []),
  ];
}

function neverSet(config: HostConfig, role: Role): string[] {
  return (
    Object.entries(NEVER_SET)
      .filter(([key]) => !isEmpty(config[key as keyof typeof NEVER_SET]))
      // Which ones a one-shot has depends on what it is for: `one-shot-container.ts`.
      .filter(([key]) => !(role === 'once' && key === 'CapAdd'))
      .map(([, weakness]) => weakness)
  );
}

/** The engine writes what is not set as it likes. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '' || value === false || value === 0;
}

const USERS: Readonly<Record<Role, readonly string[]>> = {
  agent: ['1000:1000'],
  bundle: ['10001:10001'],
  once: ['1000:1000', '0:0'],
};

type Rule = readonly [
  weakness: string,
  holds: (config: HostConfig, role: Role, info: Docker.ContainerInspectInfo) => boolean,
];

const RULES: readonly Rule[] = [
  ['runs as another user', (_, role, { Config }) => USERS[role].includes(Config.User)],
  ['keeps capabilities', ({ CapDrop }) => same(CapDrop, ['ALL'])],
  ['may gain rights', ({ SecurityOpt }) => SecurityOpt?.includes('no-new-privileges') === true],
  [
    'has another filter of system calls',
    ({ SecurityOpt }) => SecurityOpt?.includes(seccompOption()) === true,
  ],
  ['has other security options', ({ SecurityOpt }) => (SecurityOpt?.length ?? 0) <= 2],
  [
    'runs without AppArmor',
    (_c, _r, info) => !('AppArmorProfile' in info && info.AppArmorProfile === 'unconfined'),
  ],
  ['can write its image', ({ ReadonlyRootfs }) => ReadonlyRootfs === true],
  ['sees kernel files that are masked', ({ MaskedPaths }) => includesAll(MaskedPaths, MASKED)],
  ['can write kernel files', ({ ReadonlyPaths }) => includesAll(ReadonlyPaths, READ_ONLY)],
  ['shares memory with others', ({ IpcMode }) => IpcMode === 'private'],
  ['has no init process', ({ Init }) => Init === true],
  [
    'has a network',
    ({ NetworkMode = '' }, role, { NetworkSettings }) =>
      role === 'bundle' ||
      (NetworkMode === 'none' && Object.keys(NetworkSettings.Networks).every((name) => name === 'none')),
  ],
  [
    'is on the network of the host or of another container',
    ({ NetworkMode = '' }) => NetworkMode !== 'host' && !NetworkMode.startsWith('container:'),
  ],
  [
    'asks the host’s name servers',
    ({ Dns, DnsSearch }, role) => role === 'bundle' || (same(Dns, ['127.0.0.1']) && same(DnsSearch, ['.'])),
  ],
  ['has no limit of memory', ({ Memory = 0, MemorySwap }) => Memory > 0 && MemorySwap === Memory],
  ['has no limit of shared memory', ({ ShmSize = 0 }) => ShmSize > 0 && ShmSize <= MAX_SHM_BYTES],
  ['has no limit of CPUs', ({ NanoCpus = 0 }) => NanoCpus > 0],
  ['has no limit of processes', ({ PidsLimit }) => (PidsLimit ?? 0) > 0],
  [
    'has no limit of files',
    ({ Ulimits }) => {
      const hard = (name: string): number => Ulimits?.find((limit) => limit.Name === name)?.Hard ?? -1;
      return hard('core') === 0 && hard('fsize') > 0 && hard('nofile') > 0;
    },
  ],
  [
    'has another file system in memory',
    ({ Tmpfs = {} }) =>
      same(Object.keys(Tmpfs), ['/tmp']) && /nosuid,nodev,.*size=\d/.test(Tmpfs['/tmp'] ?? ''),
  ],
  [
    'has no limit of its log',
    ({ LogConfig }, role) =>
      role === 'once'
        ? LogConfig?.Type === 'none'
        : LogConfig?.Type === 'json-file' && 'max-size' in LogConfig.Config,
  ],
  ['is started again by the engine', ({ RestartPolicy }) => RestartPolicy?.Name === 'no'],
  ['has a health check', (_c, _r, { Config }) => same(Config.Healthcheck?.Test, ['NONE'])],
];

function same(found: Texts, wanted: readonly string[]): boolean {
  return JSON.stringify(found) === JSON.stringify(wanted);
}

function includesAll(found: Texts, wanted: readonly string[]): boolean {
  return wanted.every((path) => found?.includes(path));
}

type Mount = Docker.ContainerInspectInfo['Mounts'][number];

function wrongMount(mount: Mount, slug: string, role: Role): string[] {
  const { Destination: at, Propagation, RW } = mount;
  if (Propagation !== '' && Propagation !== 'rprivate') return [`passes mounts on at ${at}`];
  // Where a one-shot has what depends on what it is for.
  if (role === 'once') return [];
  const allowed = MOUNTS[role][at];
  if (allowed === undefined || !isThat(mount, allowed, slug)) return [`has something else mounted at ${at}`];
  return RW && !allowed.rw ? [`can write ${at}`] : [];
}

function isThat({ Type, Name, Source }: Mount, allowed: AllowedMount, slug: string): boolean {
  const [, inSync] = Type === 'bind' ? (SYNC_RUN.exec(Source) ?? []) : [];
  if (inSync !== undefined && inSync === allowed.ofSync) return true;
  if ('volume' in allowed) return Type === 'volume' && Name === `bb-${slug}-${allowed.volume}`;
  return Type === 'bind' && Source.endsWith(allowed.ends.replace('*', slug)) && !Source.endsWith('.sock');
}
