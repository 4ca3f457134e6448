import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { recordIn } from '../../../domain/base/is-record.js';
import { InvalidInputError } from '../../../domain/base/errors.js';
import { isSlug } from '../../../domain/run/slug.js';
import type { AuditLog } from '../../../domain/supervise/proposal-records.js';
import { escapeJson } from '../../../domain/text/escape.js';
import { ensurePrivate } from '../directories.js';
import { dropCutLine } from '../drop-cut-line.js';
import { syncDirectory } from '../../system/write-file.js';
import { sha256 } from '../../system/sha256.js';

/** What the first line holds in the place of a hash. */
const NOTHING_BEFORE = '0'.repeat(64);

/**
 * `$BOT_BOTTLE_HOME/audit/<component>-<slug>.log`, a JSON object a line. `previous` is the SHA-256 of the line before it,
 * without its newline, so that a line that was changed or taken out later shows.
 */
export function auditLog(home: string): AuditLog {
  const directory = join(home, 'audit');
  return {
    append: async (component, entry) => {
      if (!isSlug(entry.slug)) throw new InvalidInputError(`not a run's slug: ${JSON.stringify(entry.slug)}`);
      await ensurePrivate(directory);
      const handle = await open(join(directory, `${component}-${entry.slug}.log`), 'a+', 0o600);
      try {
        // Whoever was cut off was never told that the line is there, and writes it again.
        const size = await dropCutLine(handle);
        const content = Buffer.alloc(size);
        await handle.read(content, 0, size, 0);
        const lines = content.toString('utf8').split('\n').slice(0, -1);
        // A line that somebody has broken is nobody's, and stays.
        if (!lines.some((line) => recordIn(line)?.['proposal'] === entry.proposal)) {
          const last = lines.at(-1);
          const previous = last === undefined ? NOTHING_BEFORE : sha256(last);
          await handle.appendFile(`${escapeJson(JSON.stringify({ ...entry, previous }))}\n`);
        }
        // One that is there already may not have reached the disk.
        await handle.sync();
      } finally {
        await handle.close();
      }
      await syncDirectory(directory);
    },
  };
}
