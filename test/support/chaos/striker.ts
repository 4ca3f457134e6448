/** Carries the plan's strikes out: signals to processes and to all processes of a container. */
import { setTimeout as delay } from 'node:timers/promises';
import Docker from 'dockerode';
import type { DockerBottleRuntime } from '../../../src/adapters/docker/docker-runtime.js';
import type { OwnedObject } from '../../../src/domain/bottle/bottle-runtime.js';
import { PARTS, sendSignal, type PartName, type Parts } from './parts.js';
import type { Strike } from './plan.js';

/** A target that is not there, such as the agent between two turns, is waited for. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 100;

const ROLES = { sidecar: 'bundle', agent: 'agent' } as const;

export class Striker {
  /** By `<act> <target>`; those that met nothing are `missed`. */
  readonly counts = new Map<string, number>();
  readonly #docker = new Docker();
  readonly #resuming = new Set<Promise<void>>();
  readonly #over = new AbortController();

  constructor(
    private readonly parts: Parts,
    private readonly runtime: DockerBottleRuntime,
    private readonly say: (text: string) => void,
  ) {}

  /** All of them, at their times. Ends early when the signal aborts. */
  async strikeAll(strikes: readonly Strike[], signal: AbortSignal): Promise<void> {
    let due = Date.now();
    for (const [at, strike] of strikes.entries()) {
      due += strike.gapMs;
      await delay(Math.max(0, due - Date.now()), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      const name = `strike ${String(at + 1)}: ${strike.act} ${strike.target}`;
      const hit = await this.#strike(strike).catch((error: unknown) => {
        this.say(`${name}: ${String(error)}`);
        return [];
      });
      const kind = hit.length > 0 ? `${strike.act} ${strike.target}` : 'missed';
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      this.say(`${name}: ${hit.length > 0 ? hit.join(', ') : 'there was none'}`);
    }
  }

  /** What was stopped goes on, at once. */
  async letGo(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#resuming);
  }

  /** @returns what was hit */
  async #strike(strike: Strike): Promise<string[]> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const victims = await this.#victims(strike);
      if (victims.length > 0 || Date.now() > deadline) {
        const hit = await Promise.all(victims.map((victim) => this.#hit(victim, strike)));
        return hit.flatMap((name) => (name === null ? [] : [name]));
      }
      await delay(LOOK_MS);
    }
  }

  async #victims({ target, which }: Strike): Promise<Victim[]> {
    const running = (await this.runtime.list())
      .filter(({ type, running: runs }) => type === 'container' && runs)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    switch (target) {
      case 'everything': {
        const parts = await Promise.all(PARTS.map((part) => this.#part(part)));
        const bottles = running.filter(({ role }) => role === 'agent' || role === 'bundle');
        return [...parts.flat(), ...bottles.map(containerVictim)];
      }
      case 'sidecar':
      case 'agent': {
        const those = running.filter(({ role }) => role === ROLES[target]);
        return those
          .slice(Math.floor(which * those.length))
          .slice(0, 1)
          .map(containerVictim);
      }
      default:
        return this.#part(target);
    }
  }

  async #part(part: PartName): Promise<Victim[]> {
    const pid = await this.parts.pidOf(part);
    return pid === undefined ? [] : [{ kind: 'process', name: part, pid }];
  }

  async #hit(victim: Victim, { act, forMs }: Strike): Promise<string | null> {
    if (victim.kind === 'container' && act === 'kill') {
      const container = this.#docker.getContainer(victim.name);
      // It may have ended by itself meanwhile.
      const killed = await container.kill({ signal: 'SIGKILL' }).then(
        () => true,
        () => false,
      );
      return killed ? victim.name : null;
    }
    const pids = victim.kind === 'process' ? [victim.pid] : await this.#pidsIn(victim.name);
    const hit = pids.filter((pid) => sendSignal(pid, act === 'kill' ? 'SIGKILL' : 'SIGSTOP'));
    if (hit.length === 0) return null;
    if (act === 'stop') this.#goOnLater(hit, forMs);
    return victim.name;
  }

  #goOnLater(pids: readonly number[], forMs: number): void {
    const resuming = delay(forMs, undefined, { signal: this.#over.signal })
      .catch(() => undefined)
      .then(() => {
        for (const pid of pids) sendSignal(pid, 'SIGCONT');
        this.#resuming.delete(resuming);
      });
    this.#resuming.add(resuming);
  }

  /** As the host numbers them. Its first one is an init of the engine's, so that alone would not do. */
  async #pidsIn(name: string): Promise<number[]> {
    const listed = (await this.#docker
      .getContainer(name)
      .top({ ps_args: '-eo pid,comm' })
      // It has just ended.
      .catch(() => ({ Titles: [], Processes: [] }))) as Listed;
    const column = listed.Titles.indexOf('PID');
    return listed.Processes.map((row) => Number(row[column])).filter((pid) => pid > 1);
  }
}

/** The engine's answer to `top`. */
interface Listed {
  readonly Titles: readonly string[];
  readonly Processes: readonly (readonly string[])[];
}

type Victim =
  | { readonly kind: 'process'; readonly name: string; readonly pid: number }
  | { readonly kind: 'container'; readonly name: string };

function containerVictim({ name }: OwnedObject): Victim {
  return { kind: 'container', name };
}
