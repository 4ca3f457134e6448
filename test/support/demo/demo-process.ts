/** `script/demo` as a process of its own, with everything that it starts watched from outside. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { ProcessFamily, type LeftProcess } from '../../../script/lib/demo/processes.js';
import { waitUntil } from '../stack/stack.js';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LOOK_MS = 100;
const SEEN_MS = 120_000;

export interface DemoReport {
  readonly ok: boolean;
  readonly provider: string;
  readonly steps: readonly { readonly name: string; readonly ms: number }[];
  readonly issue_url: string | null;
  readonly pr_url: string | null;
  readonly slug: string | null;
  readonly workflow_id: string | null;
  readonly sessions: readonly string[];
  readonly events: number | null;
  readonly model_use: { readonly input_tokens: number; readonly output_tokens: number } | null;
  readonly cost_usd: number | null;
  readonly leftovers: {
    readonly containers: readonly string[];
    readonly volumes: readonly string[];
    readonly processes: readonly LeftProcess[];
  };
  readonly addresses?: { readonly gitea: string; readonly temporal_ui: string };
  readonly error?: string;
}

export class Demo {
  stdout = '';
  stderr = '';
  private readonly startedAt = Date.now();
  private endedAt: number | undefined;
  private readonly family: ProcessFamily;
  private readonly closed: Promise<unknown>;
  private readonly timer: NodeJS.Timeout;
  private readonly named = new Set<string>();

  private constructor(private readonly child: ChildProcess) {
    this.family = new ProcessFamily(child.pid ?? 0);
    this.timer = setInterval(() => {
      this.look();
    }, LOOK_MS);
    child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.closed = once(child, 'close').then(() => {
      this.endedAt = Date.now();
      clearInterval(this.timer);
    });
  }

  /** In a process group of its own, as a shell would start it. */
  static start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Demo {
    const child = spawn('script/demo', args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    return new Demo(child);
  }

  /** Waits until the story matches; resolves with the first group. */
  async seen(pattern: RegExp): Promise<string> {
    let found: string | undefined;
    await waitUntil(
      `the demo to say ${String(pattern)}`,
      () => {
        found = pattern.exec(this.stderr)?.[1];
        if (found === undefined && this.endedAt !== undefined)
          throw new Error(`the demo ended without ${String(pattern)}:\n${this.stderr}`);
        return found !== undefined;
      },
      SEEN_MS,
    );
    return found ?? '';
  }

  async exited(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }

  /** What Ctrl-C in a terminal does: SIGINT to the whole foreground group. */
  interrupt(): void {
    process.kill(-(this.child.pid ?? 0), 'SIGINT');
  }

  report(): DemoReport {
    const line = this.stdout.trimEnd().split('\n').at(-1) ?? '';
    return JSON.parse(line) as DemoReport;
  }

  elapsedMs(): number {
    return (this.endedAt ?? Date.now()) - this.startedAt;
  }

  livingProcesses(): LeftProcess[] {
    return this.family.alive();
  }

  everSeen(): number {
    return this.family.size;
  }

  /** Temporary directories that the command lines of its processes named. */
  directories(): string[] {
    return [...this.named];
  }

  /** Ends what a failed test left under way. */
  async end(): Promise<void> {
    try {
      if (this.endedAt === undefined) {
        this.interrupt();
        await waitUntil('the interrupted demo to end', () => this.endedAt !== undefined, SEEN_MS);
      }
    } finally {
      this.family.kill();
    }
  }

  private look(): void {
    const directory = new RegExp(
      `${tmpdir()}/(?:bb|bot-bottle-gitea|bot-bottle-demo)-[A-Za-z0-9]{6}(?=[/\\0])`,
      'g',
    );
    for (const { pid } of this.family.alive()) {
      for (const name of commandLine(pid).match(directory) ?? []) this.named.add(name);
    }
  }
}

/** Arguments, each ended by a NUL; nothing when the process has just ended. */
function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
