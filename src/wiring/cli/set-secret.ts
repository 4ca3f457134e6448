import path from 'node:path';
import { whileLocked } from '../../adapters/system/lock-file.js';
import { ensureHome } from '../../config/home.js';
import { writeBoundSecret } from '../../config/secret-binding.js';
import { CliError } from '../../cli/base/errors.js';
import { EXIT } from '../../cli/base/exit-codes.js';

const LOCK_WAIT_MS = 2_000;

/** Two commands at once must not bind one's secret to the other's hosts. Otherwise as `writeBoundSecret`. */
export function setSecret(
  home: string,
  name: string,
  content: Uint8Array,
  hosts: readonly string[],
): Promise<string> {
  ensureHome(home);
  const lock = path.join(home, 'secrets.lock');
  return whileLocked(
    lock,
    LOCK_WAIT_MS,
    ({ pid }) =>
      new CliError(
        'failed',
        EXIT.failed,
        `another bot-bottle secret set, process ${String(pid)}, is at work: try again (${lock})`,
      ),
    () => Promise.resolve(writeBoundSecret(home, name, content, hosts)),
  );
}
