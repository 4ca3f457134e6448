/** The real scripts in a directory of their own, over stand-ins for the programs that they call. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Programs that set-up looks for: there only where a test puts a stand-in. */
const HIDDEN = /^(?:docker|dockerd|docker-compose|apt-get|dpkg|systemctl|java|mvn|go|gcc|npm|node|curl)$/;
const LIBRARY = ['versions', 'common', 'docker', 'go', 'build', 'images', 'agent-images'];

let system: string | undefined;

/** The directory of the machine's own programs, made once. */
function systemPrograms(): string {
  if (system !== undefined) return system;
  const made = mkdtempSync(path.join(tmpdir(), 'bb-programs-'));
  process.once('exit', () => {
    rmSync(made, { recursive: true, force: true });
  });
  for (const name of readdirSync('/usr/bin'))
    if (!HIDDEN.test(name)) symlinkSync(path.join('/usr/bin', name), path.join(made, name));
  return (system = made);
}

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class ScriptWorld {
  readonly root = mkdtempSync(path.join(tmpdir(), 'bb-script-'));
  readonly cache = path.join(this.root, 'cache');
  readonly bin = path.join(this.root, 'bin');
  readonly env: Readonly<Record<string, string>> = {
    HOME: this.root,
    PATH: `${this.bin}:${systemPrograms()}`,
    ROOT: this.root,
    CALLS: path.join(this.root, 'calls'),
    BOT_BOTTLE_CACHE: this.cache,
    LC_ALL: 'C',
  };

  /** @param files of the repository that are copied; what is in script/lib comes with them */
  constructor(...files: readonly string[]) {
    for (const directory of ['bin', 'script', 'cache/logs', 'cache/build', 'cache/dl', 'cache/bin'])
      mkdirSync(path.join(this.root, directory), { recursive: true });
    for (const file of ['script/lib', ...files])
      cpSync(path.join(ROOT, file), path.join(this.root, file), { recursive: true });
    // The engine that this machine may have is none of ours.
    const engine = 'script/lib/docker.sh';
    this.write(engine, this.read(engine).replace('/var/run/docker.pid', path.join(this.root, 'docker.pid')));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** A program of the machine, or with a `/` a script of the repository, that is in `calls` and then does that. */
  stub(name: string, body = ''): void {
    this.program(name, `#!/bin/bash\necho "\${0##*/} $*" >>"$CALLS"\n${body}\n`);
  }

  program(name: string, text: string): void {
    const file = path.join(name.includes('/') ? this.root : this.bin, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.root, file)), { recursive: true });
    writeFileSync(path.join(this.root, file), text);
  }

  has(file: string): boolean {
    return existsSync(path.join(this.root, file));
  }

  read(file: string): string {
    return readFileSync(path.join(this.root, file), 'utf8');
  }

  /** What stubs were called with, in order, but for those questions that any script may ask. */
  calls(): readonly string[] {
    if (!this.has('calls')) return [];
    const lines = this.read('calls').trim().split('\n');
    return lines
      .map((line) => line.trimEnd())
      .filter((line) => !/^docker (?:version|context|image inspect|buildx version)/.test(line));
  }

  run(file: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Ended {
    return this.#spawn(path.join(this.root, file), args, env);
  }

  /** Lines of bash with the functions of script/lib, as in a script. */
  shell(script: string, env: Readonly<Record<string, string>> = {}): Ended {
    return this.#spawn('/bin/bash', ['-c', this.sourced(script)], env);
  }

  sourced(script: string): string {
    const sources = LIBRARY.map((name) => `source script/lib/${name}.sh`).join('; ');
    return `set -euo pipefail; exec 8>&1; ${sources}\n${script}`;
  }

  #spawn(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Ended {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.root,
      encoding: 'utf8',
      env: { ...this.env, ...env },
    });
    return { status, stdout, stderr };
  }
}

/** A world of its own for each test. */
export function useScriptWorld(...files: readonly string[]): () => ScriptWorld {
  let world: ScriptWorld;
  beforeEach(() => {
    world = new ScriptWorld(...files);
  });
  afterEach(() => {
    world.remove();
  });
  return () => world;
}
