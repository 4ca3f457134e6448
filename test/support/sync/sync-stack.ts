/** A stack with a place for run directories, and agents that do what a script says. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { SyncOutcome } from '../../../src/domain/sync/sync.js';
import { bottleScript } from '../stack/bottle-script.js';
import { StackFiles } from '../stack/stack-files.js';
import { Stack } from '../stack/stack.js';
import { tearDown } from '../stack/tear-down.js';
import { Fork } from './fork.js';

export class SyncStack {
  private constructor(
    readonly stack: Stack,
    readonly client: Client,
    /** Removed at the end. */
    readonly dir: string,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<SyncStack> {
    const dir = await mkdtemp(join(tmpdir(), 'bb-sync-'));
    const stack = await Stack.prepare({
      hook: false,
      env: {
        ...{ XDG_STATE_HOME: join(dir, 'state'), FORKLIFT_OPENCODE_ENV: join(dir, 'opencode.env') },
        ...{ FORGE_POLL_INTERVAL: 'off', ...env },
      },
    });
    await mkdir(join(stack.home, 'agents'));
    await stack.start();
    return new SyncStack(stack, await stack.client(), dir);
  }

  fork(name: string): Promise<Fork> {
    return Fork.make(this.stack.gitea, join(this.dir, name), name);
  }

  /** An agent for `--manifest`. */
  async script(name: string, ...lines: readonly string[]): Promise<void> {
    const text = `---\nprovider: scripted\ngit:\n  user:\n    name: player\n    email: player@bot-bottle.invalid\n---\n\n${bottleScript(...lines)}\n`;
    await writeFile(join(this.stack.home, 'agents', `${name}.md`), text);
  }

  /** `sync --json` in the clone. */
  async sync(
    fork: Fork,
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly stderr: string; readonly outcome: SyncOutcome }> {
    const ran = await this.stack.cli(['sync', '--dir', fork.dir, ...args, '--json']);
    return { code: ran.code, stderr: ran.stderr, outcome: JSON.parse(ran.stdout || '{}') as SyncOutcome };
  }

  async metadata(runDir: string): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await readFile(join(runDir, 'metadata.json'), 'utf8')) as Record<string, unknown>;
  }

  /** What a test that failed has left running. */
  private async callOff(): Promise<void> {
    const running = (await new StackFiles(this.stack.home).stateRows().catch(() => [])).filter(
      ({ status }) => status !== 'destroyed',
    );
    for (const { workflowId } of running) {
      const handle = this.client.workflow.getHandle(workflowId);
      await handle.cancel();
      await handle.result();
    }
  }

  async remove(): Promise<void> {
    await this.callOff();
    await tearDown(this.stack, this.client);
    await rm(this.dir, { recursive: true, force: true });
  }
}
