import { readFile, readdir } from 'node:fs/promises';

const LOOK_MS = 10;
/** A process that has just begun may be replaced by another program at any moment; it is read at each of so many looks. */
const YOUNG_LOOKS = 20;
/** An older one is read at every so-manieth look. */
const OLD_EVERY = 20;

/** Command lines of every process of this machine, collected until told to stop: `ps` in a loop. */
export class ArgvWatch {
  readonly seen = new Set<string>();
  private running = true;
  private looks = new Map<string, number>();
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
      // Without the ones that are gone: their numbers are given again.
      this.looks = new Map(pids.map((pid) => [pid, (this.looks.get(pid) ?? 0) + 1]));
      const due = pids.filter((pid) => isDue(this.looks.get(pid) ?? 0));
      const lines = due.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
      for (const line of await Promise.all(lines)) this.seen.add(line.replaceAll('\0', ' '));
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

function isDue(looks: number): boolean {
  return looks <= YOUNG_LOOKS || looks % OLD_EVERY === 0;
}
