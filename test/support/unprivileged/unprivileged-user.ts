/**
 * Somebody without any right but membership in the group of the engine's socket, made by root for one test file. What
 * that user needs may lie where only root can look (a checkout or a cache below `/root`), so it is mounted, read-only
 * and for the user's processes alone, into a directory that everybody may enter.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';
import { giteaBinary } from '../gitea/binary.js';
import { PATIENCE } from '../scale/patience.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CACHE = process.env['BOT_BOTTLE_CACHE'] ?? join(homedir(), '.cache', 'bot-bottle');
const SOCKET = /^unix:\/\/(.+)$/.exec(process.env['DOCKER_HOST'] ?? '')?.[1] ?? '/var/run/docker.sock';
/** `nobody`: it has an account everywhere, and Gitea asks for its name. */
const NOBODY = 65_534;

/** $1 to $3 are mounted on $4 to $6, then the rest is run without any of root's rights. */
const ENTER = `
set -e
mount --bind -o ro "$1" "$4"
mount --bind -o ro "$2" "$5"
mount --bind -o ro "$3" "$6"
cd "$4"
shift 6
exec "$@"`;

export interface UserRun {
  /** `null` when it was stopped because the time was over. */
  readonly exitCode: number | null;
  readonly output: string;
}

export class UnprivilegedUser {
  private constructor(
    private readonly dir: string,
    private readonly group: number,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Errors: when this isn't root, or when the socket isn't for a group. */
  static async make(): Promise<UnprivilegedUser> {
    if (process.getuid?.() !== 0) throw new Error('only root can become somebody else');
    const { gid, mode } = await stat(SOCKET);
    if (gid === 0 || (mode & 0o067) !== 0o060)
      throw new Error(
        `${SOCKET} is not for the members of a group: mode ${mode.toString(8)}, group ${String(gid)}`,
      );
    // Short: a Unix socket's path has 107 bytes.
    const dir = await mkdtemp(join(tmpdir(), 'bbu-'));
    await chmod(dir, 0o755);
    const tools = await prepare(dir);
    return new UnprivilegedUser(dir, gid, {
      PATH: [join(dir, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
      HOME: join(dir, 'home'),
      TMPDIR: join(dir, 'tmp'),
      // Shown only when something fails.
      BOT_BOTTLE_TEST_LOG: '1',
      ...tools,
      BOT_BOTTLE_PATIENCE: String(PATIENCE),
      ...(process.env['DOCKER_HOST'] === undefined ? {} : { DOCKER_HOST: process.env['DOCKER_HOST'] }),
    });
  }

  /** A file that the user can write and everybody can read. */
  file(name: string): string {
    return join(this.dir, 'tmp', name);
  }

  /** Runs a command of Node in the checkout. */
  async node(args: readonly string[], timeoutMs: number): Promise<UserRun> {
    const at = (name: string): string => join(this.dir, name);
    const id = String(NOBODY);
    const rights = ['--reuid', id, '--regid', id, '--groups', String(this.group)];
    const without = ['--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'];
    const mounts = [ROOT, CACHE, process.execPath, at('checkout'), at('cache'), at('bin/node')];
    const child = spawn(
      'unshare',
      ['--mount', 'sh', '-c', ENTER, 'sh', ...mounts, 'setpriv', ...rights, ...without, 'node', ...args],
      { env: this.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL'), timeoutMs);
    try {
      const [exitCode] = (await once(child, 'close')) as [number | null];
      return { exitCode, output };
    } finally {
      clearTimeout(timer);
    }
  }

  /** Removes the directory, and before that processes and containers of a run that was stopped. Resolves with their names. */
  async remove(): Promise<string[]> {
    const processes = await this.processes();
    for (const { pid } of processes) killIfThere(pid);
    const containers = await this.removeContainers();
    await rm(this.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    return [...processes.map(({ command }) => command), ...containers];
  }

  /** Names of what the user's temporary directory holds, but for what tsx keeps there. */
  async temporaryFiles(): Promise<string[]> {
    return (await readdir(this.env['TMPDIR'] ?? '')).filter((name) => !name.startsWith('tsx-'));
  }

  /** Those that have something of the user's directory mounted. */
  private async removeContainers(): Promise<string[]> {
    const docker = new Docker();
    const all = await docker.listContainers({ all: true });
    const ours = all.filter(({ Mounts }) => Mounts.some(({ Source }) => Source.startsWith(`${this.dir}/`)));
    for (const { Id } of ours) await docker.getContainer(Id).remove({ force: true });
    const volumes = ours.flatMap(({ Mounts }) =>
      Mounts.flatMap(({ Type, Name }) => (Type === 'volume' ? (Name ?? []) : [])),
    );
    for (const name of new Set(volumes)) await docker.getVolume(name).remove({ force: true });
    return ours.flatMap(({ Names }) => Names);
  }

  private async processes(): Promise<{ readonly pid: number; readonly command: string }[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(
      pids.map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
        if (!environment.includes(`=${this.dir}/`)) return [];
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        return [{ pid: Number(pid), command: command.replaceAll('\0', ' ') }];
      }),
    );
    return found.flat();
  }
}

/** Makes the directories and the links to the tools; resolves with the variables that name tools. */
async function prepare(dir: string): Promise<Record<string, string>> {
  const bin = join(dir, 'home/.cache/bot-bottle/bin');
  for (const path of ['checkout', 'cache', 'bin', 'tmp']) await mkdir(join(dir, path));
  await mkdir(bin, { recursive: true });
  await writeFile(join(dir, 'bin/node'), '');
  const cache = realpathSync(CACHE);
  const reachable = (path: string): string => {
    const inside = relative(cache, realpathSync(path));
    return inside.startsWith('..') || isAbsolute(inside) ? path : join(dir, 'cache', inside);
  };
  for (const name of await readdir(join(CACHE, 'bin')))
    await symlink(reachable(join(CACHE, 'bin', name)), join(bin, name));
  for (const path of ['home', 'home/.cache/bot-bottle', 'tmp']) await chown(join(dir, path), NOBODY, NOBODY);
  const gitea = await giteaBinary();
  return {
    GITEA_BIN: reachable(gitea.path),
    ...(gitea.staticRoot === '' ? {} : { GITEA_STATIC_ROOT: reachable(gitea.staticRoot) }),
  };
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
