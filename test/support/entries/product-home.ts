import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports/free-port.js';

/** A home with all secrets and settings of a start, whose forge and Temporal are away. */
export class ProductHome {
  private constructor(
    readonly dir: string,
    readonly ports: { readonly webhook: number; readonly temporal: number; readonly ui: number },
    private readonly forgePort: number,
  ) {}

  static async make(): Promise<ProductHome> {
    const dir = await mkdtemp(join(tmpdir(), 'bb-'));
    const [webhook, temporal, ui, forge] = await Promise.all([
      freePort(),
      freePort(),
      freePort(),
      freePort(),
    ]);
    await mkdir(join(dir, 'secrets'), { mode: 0o700 });
    for (const name of ['forge-token', 'publish-token', 'webhook-secret'])
      await writeFile(join(dir, 'secrets', name), `${name}-of-a-test`, { mode: 0o600 });
    return new ProductHome(dir, { webhook, temporal, ui }, forge);
  }

  get env(): Readonly<Record<string, string>> {
    const here = (port: number): string => `127.0.0.1:${String(port)}`;
    return {
      BOT_BOTTLE_HOME: this.dir,
      FORGE_GITEA_API: `http://${here(this.forgePort)}/api/v1`,
      FORGE_PUBLISH_TOKEN_FILE: join(this.dir, 'secrets/publish-token'),
      API_LISTEN: 'off',
      WEBHOOK_LISTEN: here(this.ports.webhook),
      TEMPORAL_ADDRESS: here(this.ports.temporal),
      TEMPORAL_UI_PORT: String(this.ports.ui),
    };
  }

  removeSecret(name: string): Promise<void> {
    return rm(join(this.dir, 'secrets', name));
  }

  /** What stands in it beside its secrets. */
  async files(): Promise<string[]> {
    return (await readdir(this.dir)).filter((name) => name !== 'secrets');
  }

  remove(): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}
