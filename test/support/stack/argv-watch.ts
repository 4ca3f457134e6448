import { readFile, readdir } from 'node:fs/promises';

/** Command lines of every process of this machine, collected until told to stop: `ps` in a loop. */
export class ArgvWatch {
  readonly seen = new Set<string>();
  private running = true;
  private readonly loop: Promise<void>;

  constructor() {
    this.loop = this.watch();
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.loop;
  }

  private async watch(): Promise<void> {
    while (this.running) {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
      for (const line of await Promise.all(lines)) this.seen.add(line.replaceAll('\0', ' '));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
