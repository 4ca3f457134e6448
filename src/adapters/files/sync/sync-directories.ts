import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InvalidInputError } from '../../../domain/base/errors.js';
import type { SyncDirectories } from '../../../domain/sync/ports.js';
import { runDirName } from '../../../domain/sync/sync-names.js';
import { ensurePrivate } from '../directories.js';
import { RunFilesError } from '../file-error.js';
import { errnoOf, unlessMissing } from '../../../domain/base/errno.js';
import { syncDirectory, writeWhole } from '../../system/write-file.js';

const METADATA = 'metadata.json';
/** Syncs of forks of one name that begin in the same second: how many seconds are looked at. */
const MAX_SECONDS = 60;

/**
 * Run directories, private: only what is mounted of them is the agent's.
 * @param root absolute: `$XDG_STATE_HOME/forklift/runs`
 */
export function syncDirectories(root: string): SyncDirectories {
  const own = (runDir: string): string => {
    if (dirname(runDir) !== root)
      throw new InvalidInputError(`not a run directory of this machine: ${runDir}`);
    return runDir;
  };
  const describe: SyncDirectories['describe'] = async (runDir, metadata) => {
    const all = { ...(await readMetadata(own(runDir))), ...metadata };
    const text = `${JSON.stringify(all, null, 2)}\n`;
    await writeWhole(join(runDir, METADATA), text, { mode: 0o600, durable: true });
  };
  return {
    async make(project, slug, at) {
      await ensurePrivate(root);
      for (let second = 0; second < MAX_SECONDS; second += 1) {
        const runDir = join(root, runDirName(project, at + second * 1000));
        if (await isMade(runDir)) {
          await describe(runDir, { slug });
          await syncDirectory(root);
          return runDir;
        }
        if ((await readMetadata(runDir))['slug'] === slug) return runDir;
      }
      throw new RunFilesError(`${root} has no free name for a run of ${project} in this minute`, true);
    },
    describe,
    workspaceOf: (runDir) => join(own(runDir), 'workspace'),
    harnessStateOf: (runDir) => join(own(runDir), 'harness-state'),
  };
}

/** `false` when it was there. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Ours alone: nothing of an agent is in there. */
async function readMetadata(runDir: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await unlessMissing(readFile(join(runDir, METADATA), 'utf8'));
  return text === undefined ? {} : (JSON.parse(text) as Record<string, unknown>);
}
