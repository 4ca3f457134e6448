/**
 * The parts of `up`, each started by us as a service manager would, so that each can be struck by its pid, and as often as
 * the plan says: `up` itself gives up after six ends in ten minutes.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spawnDevServer, temporalProgram } from '../../../src/wiring/services/temporal-dev-server.js';
import type { Part } from '../../../src/wiring/services/keep-part.js';
import { waitUntil, type Stack } from '../stack/stack.js';

export const PARTS = ['temporal', 'webhook', 'worker'] as const;
export type PartName = (typeof PARTS)[number];

const PAUSE_MS = 500;
const STOP_MS = 20_000;
/** On a machine that does much else, too. */
const START_MS = 180_000;

/** What is left of a part that has ended is started again. */
export class Parts {
  readonly restarts: Record<PartName, number> = { temporal: 0, webhook: 0, worker: 0 };
  readonly #children = new Map<'webhook' | 'worker', ChildProcess>();
  readonly #kept: Promise<void>[] = [];
  #temporal: Part | undefined;
  #stopping = false;

  constructor(private readonly stack: Stack) {}

  async start(): Promise<void> {
    await this.#startTemporal();
    const isSetUp = async (): Promise<boolean> => (await this.stack.cli(['temporal', 'setup'])).code === 0;
    await waitUntil('Temporal to be set up', isSetUp, START_MS);
    this.#kept.push(this.#keepTemporal(), this.#keepChild('webhook'), this.#keepChild('worker'));
    await waitUntil('the webhook', () => this.stack.output.includes('webhook listening'), START_MS);
  }

  /** `undefined` while it does not run. */
  async pidOf(part: PartName): Promise<number | undefined> {
    if (part === 'temporal') return temporalPid(this.stack);
    const child = this.#children.get(part);
    return child === undefined || hasEnded(child) ? undefined : child.pid;
  }

  /** In good order with SIGTERM, worker first; or at once. Those that are stopped go on first. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    this.#stopping = true;
    for (const part of PARTS) await this.#signal(part, 'SIGCONT');
    for (const child of this.#children.values()) await end(child, signal);
    if (signal === 'SIGKILL') await this.#signal('temporal', signal);
    await this.#temporal?.stop();
    await Promise.all(this.#kept);
  }

  async #signal(part: PartName, signal: NodeJS.Signals): Promise<void> {
    const pid = await this.pidOf(part);
    if (pid !== undefined) sendSignal(pid, signal);
  }

  async #keepChild(name: 'webhook' | 'worker'): Promise<void> {
    while (!this.#isStopping()) {
      const child = this.stack.service([name]);
      this.#children.set(name, child);
      if (!hasEnded(child)) await once(child, 'exit');
      if (this.#isStopping()) return;
      this.restarts[name] += 1;
      await delay(PAUSE_MS);
    }
  }

  async #keepTemporal(): Promise<void> {
    while (!this.#isStopping()) {
      await this.#temporal?.ended;
      if (this.#isStopping()) return;
      this.restarts.temporal += 1;
      await delay(PAUSE_MS);
      if (!this.#isStopping()) await this.#startTemporal();
    }
  }

  async #startTemporal(): Promise<void> {
    const { stack } = this;
    const [host = '', port = ''] = stack.temporalAddress.split(':');
    const server = spawnDevServer({
      program: temporalProgram(),
      home: stack.home,
      host,
      port: Number(port),
      uiPort: Number(new URL(stack.uiUrl).port),
      namespace: 'default',
      reachable: () => canConnect(host, Number(port)),
    });
    this.#temporal = server;
    await Promise.race([server.serving, server.ended]);
  }

  #isStopping(): boolean {
    return this.#stopping;
  }
}

/** @returns whether it was there to get it */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** It has the environment of this process, so it is known by the database that it was started with. */
async function temporalPid({ home }: Stack): Promise<number | undefined> {
  const file = join(home, 'temporal.db');
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    // The guard that starts it is replaced by it.
    if (argv.includes(file)) return Number(pid);
  }
  return undefined;
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    const say = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => {
      say(true);
    });
    socket.once('timeout', () => {
      say(false);
    });
    socket.once('error', () => {
      say(false);
    });
  });
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(late);
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
