/** Which processes the demo started, and which of them still live. Linux: proc(5). */
import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** Leader of its session. */
  readonly session: number;
  /** Clock ticks since boot: with the id it names a process for good. */
  readonly startTime: string;
  readonly name: string;
}

export interface LeftProcess {
  readonly pid: number;
  readonly name: string;
}

/** Every process of the machine that can be seen; zombies, which hold nothing any longer, are left out. */
export function runningProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processOf(Number(name)))
    .filter((found) => found !== undefined);
}

export function processOf(pid: number): RunningProcess | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name, field 2, stands in parentheses and may contain anything.
  const end = stat.lastIndexOf(')');
  const [state, parent, , session, ...rest] = stat.slice(end + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    parent: Number(parent),
    session: Number(session),
    startTime: rest[15] ?? '',
    name: stat.slice(stat.indexOf('(') + 1, end),
  };
}

/**
 * Remembers a process, what it started, and what those started: whoever is seen once is known for good, also when its
 * parent has ended meanwhile.
 */
export class ProcessFamily {
  private readonly known = new Map<number, RunningProcess>();

  constructor(root: number) {
    const found = processOf(root);
    if (found !== undefined) this.known.set(root, found);
  }

  /** Looks again for children and for members of the sessions that known processes lead. */
  look(): void {
    const all = runningProcesses();
    for (let before = -1; before !== this.known.size;) {
      before = this.known.size;
      for (const found of all) {
        if (this.knows(found) || !(this.isAlive(found.parent) || this.isAlive(found.session))) continue;
        this.known.set(found.pid, found);
      }
    }
  }

  get size(): number {
    return this.known.size;
  }

  alive(): LeftProcess[] {
    this.look();
    return [...this.known.keys()]
      .filter((pid) => this.isAlive(pid))
      .map((pid) => ({ pid, name: this.known.get(pid)?.name ?? '' }));
  }

  /** The last resort. */
  kill(): void {
    for (const { pid } of this.alive()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone between the look and the call.
      }
    }
  }

  private knows(found: RunningProcess): boolean {
    return this.known.get(found.pid)?.startTime === found.startTime;
  }

  private isAlive(pid: number): boolean {
    const known = this.known.get(pid);
    return known !== undefined && processOf(pid)?.startTime === known.startTime;
  }
}
