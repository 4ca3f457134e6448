/** A `$BOT_BOTTLE_HOME` for docker-compose.yml, before anybody runs with it. */
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Not root, and nobody who has an account in the image: as root of the machine we can give files to anybody. */
const UNKNOWN_ID = 23_456;
/** An agent of the home's own, played by the one that needs no model. */
export const AGENT = 'player';
const MANIFEST = '---\nprovider: scripted\nbottle: default\n---\n\nDo what the issue asks for.\n';

export class ComposeHome {
  // Short: a Unix socket's path has 107 bytes.
  readonly dir = mkdtempSync(join(tmpdir(), 'bb-'));
  readonly uid: number;

  constructor(secrets: Readonly<Record<string, string>>) {
    const own = process.getuid?.() ?? 0;
    this.uid = own === 0 ? UNKNOWN_ID : own;
    for (const name of ['secrets', 'agents']) mkdirSync(join(this.dir, name), { mode: 0o700 });
    this.addSecrets(secrets);
    this.write(join('agents', `${AGENT}.md`), MANIFEST);
    this.write(
      'config.yaml',
      `FORGE_PUBLISH_TOKEN_FILE: ${join(this.dir, 'secrets/publish-token')}\nFORGE_POLL_INTERVAL: 'off'\n`,
    );
    this.give('.');
  }

  addSecrets(secrets: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(secrets)) this.write(join('secrets', name), value);
    this.give('secrets');
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  private write(file: string, text: string): void {
    writeFileSync(join(this.dir, file), text, { mode: 0o600 });
  }

  private give(path: string): void {
    if (process.getuid?.() !== 0) return;
    chownSync(join(this.dir, path), this.uid, this.uid);
    for (const entry of readdirSync(join(this.dir, path), { withFileTypes: true })) {
      if (entry.isDirectory()) this.give(join(path, entry.name));
      else chownSync(join(this.dir, path, entry.name), this.uid, this.uid);
    }
  }
}
