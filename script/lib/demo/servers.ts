/** The demo's side of the process that keeps its servers. */
import { fork, type ChildProcess } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentSetup, FromKeeper, ToKeeper } from './messages.js';
import { ProcessFamily, type LeftProcess } from './processes.js';
import { DemoError, until, type WaitOptions } from './wait.js';

const KEEPER = fileURLToPath(new URL('keeper.ts', import.meta.url));
const START_MS = 90_000;
/** Ends runs in good order (60 s), lets `up` stop as long as it may (115 s), and removes what is left. */
const STOP_MS = 210_000;
const LAST_MS = 5_000;

export class Servers {
  readonly family: ProcessFamily;
  private readonly messages: FromKeeper[] = [];

  private constructor(private readonly child: ChildProcess) {
    this.family = new ProcessFamily(child.pid ?? 0);
    child.on('message', (message: FromKeeper) => this.messages.push(message));
  }

  /** @param logs directory for the servers' output; `agent`: `null` for the scripted one */
  static start(logs: string, records: string, agent: AgentSetup | null): Servers {
    const log = openSync(join(logs, 'keeper.log'), 'a', 0o600);
    // A session of its own: Ctrl-C in the terminal is for the demo, which then has things ended in order.
    // By it script/demo has the engine: the servers have it on when they are kept.
    const engine = Number(process.env['BOT_BOTTLE_ENGINE_USE'] ?? 0);
    const child = fork(KEEPER, [logs, records], {
      detached: true,
      stdio: ['ignore', log, log, 'ipc', ...(engine > 0 ? [engine] : [])],
      execArgv: ['--import', 'tsx'],
    });
    closeSync(log);
    const servers = new Servers(child);
    // Not by its environment or arguments, which others can see: it has a key.
    servers.send({ kind: 'begin', agent });
    return servers;
  }

  /** Errors: `DemoError` when the servers could not be started. */
  async heard<K extends FromKeeper['kind']>(
    kind: K,
    what: string,
    options: WaitOptions,
  ): Promise<Extract<FromKeeper, { kind: K }>> {
    const is = (message: FromKeeper): message is Extract<FromKeeper, { kind: K }> => message.kind === kind;
    return until(
      what,
      () => {
        this.family.look();
        const failed = this.messages.find((message) => message.kind === 'failed');
        if (failed !== undefined) throw new DemoError(`${what}: ${failed.message}`);
        const found = this.messages.find(is);
        if (found === undefined && this.hasEnded) throw new DemoError(`${what}: the servers' process ended`);
        return found;
      },
      { timeoutMs: START_MS, ...options },
    );
  }

  /** Resolves when the servers will outlive us. */
  async keep(options: WaitOptions): Promise<void> {
    this.send({ kind: 'keep' });
    await this.heard('kept', 'the servers to stay', options);
    this.child.disconnect();
    this.child.unref();
  }

  /** Ends everything; answers the processes that lived on all the same, and were killed. */
  async stop(): Promise<LeftProcess[]> {
    this.family.look();
    if (!this.hasEnded) this.send({ kind: 'stop' });
    await this.watchUntil(() => this.hasEnded, STOP_MS);
    // What was told to end may take a moment longer than who told it.
    await this.watchUntil(() => this.family.alive().length === 0, LAST_MS);
    const left = this.family.alive();
    this.family.kill();
    return left;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private async watchUntil(condition: () => boolean, timeoutMs: number): Promise<void> {
    const { signal } = new AbortController();
    const look = (): true | undefined => {
      this.family.look();
      return condition() ? true : undefined;
    };
    await until('the end', look, { signal, timeoutMs }).catch(() => undefined);
  }

  private send(message: ToKeeper): void {
    if (this.child.connected) this.child.send(message);
  }
}
