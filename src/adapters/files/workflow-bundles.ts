import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../domain/base/errno.js';
import { writeWhole } from '../system/write-file.js';

const SUFFIX = '.js';
const SDK_SUFFIX = '.sdk';
/** Of those that were kept before the version of the SDK was. */
const FIRST_SDK = '1.24.0';
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

  /** @param sdk version of Temporal's SDK that is part of the code */
  async keep(buildId: string, code: string, sdk: string): Promise<void> {
    // First, so that what is there without one is of the time before.
    await writeWhole(this.sdkFile(buildId), sdk, { mode: 0o600, durable: true });
    await writeWhole(this.pathOf(buildId), code, { mode: 0o600, durable: true });
  }

  async sdkOf(buildId: string): Promise<string> {
    return (await unlessMissing(readFile(this.sdkFile(buildId), 'utf8'))) ?? FIRST_SDK;
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
    await rm(this.sdkFile(buildId), { force: true });
  }

  private sdkFile(buildId: string): string {
    return join(this.directory, `${buildId}${SDK_SUFFIX}`);
  }
}
