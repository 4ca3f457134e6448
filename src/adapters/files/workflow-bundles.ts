import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../domain/base/errno.js';
import { writeWhole } from '../system/write-file.js';

const SUFFIX = '.js';
const TOLD = 'told-settings.json';

/**
 * Workflow code by the version that it is at Temporal, in `$BOT_BOTTLE_HOME/workflows`: what an upgrade leaves behind for
 * the runs that have not gone over to the new one yet.
 */
export class WorkflowBundles {
  private constructor(private readonly directory: string) {}

  static async open(home: string): Promise<WorkflowBundles> {
    const directory = join(home, 'workflows');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new WorkflowBundles(directory);
  }

  pathOf(buildId: string): string {
    return join(this.directory, `${buildId}${SUFFIX}`);
  }

  /** Build ids, in no order. */
  async list(): Promise<readonly string[]> {
    const names = await readdir(this.directory);
    return names
      .filter((name) => /^[\w.-]+\.js$/.test(name) && !name.startsWith('.'))
      .map((name) => name.slice(0, -SUFFIX.length));
  }

  async keep(buildId: string, code: string): Promise<void> {
    if ((await this.list()).includes(buildId)) return;
    await writeWhole(this.pathOf(buildId), code, { mode: 0o600, durable: true });
  }

  /** The settings that open runs were last told, as they were written. */
  async toldSettings(): Promise<string | undefined> {
    return unlessMissing(readFile(join(this.directory, TOLD), 'utf8'));
  }

  async keepToldSettings(text: string): Promise<void> {
    await writeWhole(join(this.directory, TOLD), text, { mode: 0o600, durable: false });
  }

  async remove(buildId: string): Promise<void> {
    await rm(this.pathOf(buildId), { force: true });
  }
}
