import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Item } from '../../../src/cli/forge-setup/report.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { forgeSetup } from '../../../src/wiring/forge-setup.js';
import { cliWith, type Ran } from '../../unit/cli/small-world.js';
import type { Gitea } from '../gitea/start-gitea.js';
import { freePort } from '../ports/free-port.js';

export interface SetupRun extends Ran {
  readonly ok: boolean;
  readonly items: readonly Item[];
  /** `created label bot-bottle:implementer`, without target and details. */
  readonly lines: readonly string[];
}

/** A new user's home with the bot's tokens and keys of models in it, and the command over the real forge. */
export class SetupHome {
  readonly #extra: Record<string, string> = {};

  private constructor(
    readonly dir: string,
    readonly port: number,
    private readonly api: string,
  ) {}

  static async make(gitea: Gitea, api = `${gitea.url}/api/v1`): Promise<SetupHome> {
    const dir = await mkdtemp(join(tmpdir(), 'bot-bottle-setup-'));
    const home = new SetupHome(dir, await freePort(), api);
    await mkdir(join(dir, 'secrets'), { mode: 0o700 });
    await home.write('secrets/forge-token', gitea.bot.sidecarToken);
    await home.write('secrets/publish-token', gitea.bot.publisherToken);
    await home.write('secrets/anthropic-api-key', 'no-key-of-anybody');
    await home.write('secrets/openai-api-key', 'no-key-of-anybody');
    return home;
  }

  /** Address the forge is told. */
  get url(): string {
    return `http://127.0.0.1:${String(this.port)}/webhooks/gitea`;
  }

  get env(): Record<string, string> {
    return {
      BOT_BOTTLE_HOME: this.dir,
      FORGE_GITEA_API: this.api,
      FORGE_PUBLISH_TOKEN_FILE: 'secrets/publish-token',
      WEBHOOK_LISTEN: `127.0.0.1:${String(this.port)}`,
      ...this.#extra,
    };
  }

  set(name: string, value: string): void {
    this.#extra[name] = value;
  }

  async write(name: string, content: string): Promise<string> {
    const file = join(this.dir, name);
    await writeFile(file, `${content}\n`, { mode: 0o600 });
    return file;
  }

  async secret(): Promise<string> {
    return (await readFile(join(this.dir, 'secrets/webhook-secret'), 'utf8')).trim();
  }

  /** `forge setup …` as text, after the administrator's token went into a file. */
  async text(admin: string | null, ...args: string[]): Promise<Ran> {
    const token = admin === null ? [] : ['--admin-token-file', await this.write('admin-token', admin)];
    const world = cliWith({ deps: { forgeSetup: () => forgeSetup(loadConfig(this.env).config) } });
    return world.run('forge', 'setup', ...args, ...token);
  }

  async run(admin: string | null, ...args: string[]): Promise<SetupRun> {
    const ran = await this.text(admin, ...args, '--json');
    const { ok, items } = JSON.parse(ran.stdout) as { ok: boolean; items: Item[] };
    return {
      ...ran,
      ok,
      items,
      lines: items.map(({ state, what, name }) => `${state} ${what} ${name}`.trim()),
    };
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}
