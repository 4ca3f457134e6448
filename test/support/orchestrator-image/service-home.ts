/** A `$BOT_BOTTLE_HOME` for a service in a container: everything in it belongs to the user that the container runs as. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECRET } from '../webhook/sign.js';

/** Not root, and nobody who has an account in the image: as root of the machine we can give files to anybody. */
const UNKNOWN_ID = 23_456;

export interface ServiceHome {
  readonly dir: string;
  /** `uid:gid` of its owner. */
  readonly user: string;
  remove(): void;
}

export function makeServiceHome(): ServiceHome {
  const [uid = 0, gid = 0] = [process.getuid?.(), process.getgid?.()];
  const owner = uid === 0 ? { uid: UNKNOWN_ID, gid: UNKNOWN_ID } : { uid, gid };
  const dir = mkdtempSync(join(tmpdir(), 'bot-bottle-home-'));
  const give = (path: string): void => {
    if (uid === 0) chownSync(path, owner.uid, owner.gid);
  };
  const secrets = join(dir, 'secrets');
  mkdirSync(secrets, { mode: 0o700 });
  for (const name of ['webhook-secret', 'forge-token', 'publish-token']) {
    const file = join(secrets, name);
    writeFileSync(file, name === 'webhook-secret' ? SECRET : `${name}-of-a-test`, { mode: 0o600 });
    give(file);
  }
  give(secrets);
  give(dir);
  return {
    dir,
    user: `${String(owner.uid)}:${String(owner.gid)}`,
    remove: () => {
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
