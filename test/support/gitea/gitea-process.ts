import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { appIni } from './app-ini.js';
import type { AppIni } from './app-ini.js';
import { giteaBinary } from './binary.js';
import type { GiteaBinary } from './binary.js';
import { freePort } from '../ports/free-port.js';

const run = promisify(execFile);
const START_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 5_000;
// Ends the server with us even when we are killed outright.
const SETPRIV = '/usr/bin/setpriv';

/** A Gitea server in a directory of its own. It ends with this process. */
export class GiteaProcess {
  #child: ChildProcess | undefined;
  /** More variables for the next start. */
  extraEnv: Readonly<Record<string, string>> = {};
  readonly #onExit = (): void => {
    this.#child?.kill('SIGKILL');
  };

  private constructor(
    readonly dir: string,
    readonly port: number,
    readonly binary: GiteaBinary,
  ) {}

  /** Writes the configuration; the server doesn't run yet. `port` 0 means a free one. */
  static async prepare(
    dir: string,
    port: number,
    ini: Pick<AppIni, 'rootUrl' | 'allowedHosts' | 'actions'> = {},
  ): Promise<GiteaProcess> {
    const binary = await giteaBinary();
    const chosen = port === 0 ? await freePort() : port;
    await Promise.all(
      ['home', 'log', 'repositories'].map((name) => mkdir(join(dir, name), { recursive: true })),
    );
    const text = appIni({
      ...ini,
      dir,
      port: chosen,
      staticRoot: binary.staticRoot,
      secretKey: randomBytes(32).toString('hex'),
      runUser: userInfo().username,
    });
    await writeFile(join(dir, 'app.ini'), text, { mode: 0o600 });
    return new GiteaProcess(dir, chosen, binary);
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  /** Runs one of Gitea's own commands. Resolves with its standard output. */
  async command(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(
      this.binary.path,
      ['--config', join(this.dir, 'app.ini'), '--work-path', this.dir, ...args],
      {
        env: this.#env(),
        cwd: this.dir,
      },
    );
    return stdout;
  }

  /** Starts the server and waits until it answers. No effect when it runs. */
  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    const log = await open(join(this.dir, 'log', 'server.log'), 'a');
    const argv = [this.binary.path, 'web', '--config', join(this.dir, 'app.ini'), '--work-path', this.dir];
    const [file = '', ...args] = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL', ...argv] : argv;
    const child = spawn(file, args, { env: this.#env(), cwd: this.dir, stdio: ['ignore', log.fd, log.fd] });
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    child.once('error', () => {
      if (this.#child === child) this.#child = undefined;
    });
    process.removeListener('exit', this.#onExit);
    process.once('exit', this.#onExit);
    await log.close();
    await this.#answers();
  }

  /** SIGKILL, as a crash would; the directory stays and `start` goes on with it. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Lets it finish; SIGKILL after 5 s. No effect when it doesn't run. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async remove(): Promise<void> {
    await this.kill();
    // git processes of the server may still write for a moment.
    await rm(this.dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    process.removeListener('exit', this.#onExit);
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) =>
      child.once('exit', () => {
        resolve();
      }),
    );
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await gone;
    clearTimeout(timer);
  }

  async #answers(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < deadline) {
      const answered = await fetch(`${this.url}/api/v1/version`).then(
        (response) => response.ok,
        () => false,
      );
      if (answered) return;
      if (this.#child === undefined) break;
      await sleep(25);
    }
    const log = await readFile(join(this.dir, 'log', 'server.log'), 'utf8').catch(() => '');
    await this.kill();
    throw new Error(`Gitea does not answer at ${this.url}; the end of its log:\n${log.slice(-2000)}`);
  }

  #env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: join(this.dir, 'home'),
      GITEA_WORK_DIR: this.dir,
      // Each push starts the program four times, as hooks: a good part of what such a short one does is collecting garbage.
      GOGC: '400',
      ...this.extraEnv,
    };
  }
}
