/** What `up` asks Temporal, by a child that ends when nothing is asked: the client is two thirds of what `up` would hold. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, type Failure } from '../../cli/base/errors.js';
import { EXIT } from '../../cli/base/exit-codes.js';
import { PART_OF_UP } from './part-of-up.js';

export interface TemporalQuestion {
  readonly id: number;
  /** Whether it answers and knows the namespace; or to wait for both, and to set the namespace up. */
  readonly ask: 'answers' | 'set_up';
}

export type TemporalAnswer =
  | { readonly id: number; readonly kind: 'yes' | 'no' }
  | ({ readonly id: number; readonly kind: 'failed' } & Failure);

/** Without a question for so long it ends, milliseconds. */
const IDLE_MS = 5_000;

export class TemporalAsker {
  #child: ChildProcess | undefined;
  /** When the last one that was ended is gone. */
  #gone: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #asked = 0;
  readonly #open = new Map<number, (answer: TemporalAnswer | null) => void>();

  async answers(): Promise<boolean> {
    return (await this.#ask('answers'))?.kind === 'yes';
  }

  /** Errors: `CliError`. */
  async setUp(): Promise<void> {
    const answer = await this.#ask('set_up');
    if (answer === null) throw new CliError('asker_lost', EXIT.failed, 'who set Temporal up was killed');
    if (answer.kind === 'failed') throw new CliError(answer.code, answer.exitCode, answer.message);
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const child = this.#child;
    if (child !== undefined) {
      this.#gone = once(child, 'exit');
      // Before it is gone: who asks meanwhile asks another one.
      this.#forget(child);
      child.kill('SIGKILL');
    }
    await this.#gone;
  }

  /** `null` when the child ended before it answered. */
  #ask(ask: TemporalQuestion['ask']): Promise<TemporalAnswer | null> {
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    const id = (this.#asked += 1);
    return new Promise((resolve) => {
      this.#open.set(id, resolve);
      child.send({ id, ask } satisfies TemporalQuestion, () => undefined);
    });
  }

  #start(): ChildProcess {
    const file = new URL(`answer-about-temporal${path.extname(import.meta.url)}`, import.meta.url);
    // A group of its own: Ctrl-C in the terminal is for `up`.
    const child = fork(fileURLToPath(file), {
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, [PART_OF_UP]: 'asker' },
    });
    child.on('message', (answer: TemporalAnswer) => {
      this.#open.get(answer.id)?.(answer);
      this.#open.delete(answer.id);
      if (this.#open.size > 0) return;
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => void this.close(), IDLE_MS);
      this.#idle.unref();
    });
    const over = (): void => {
      this.#forget(child);
    };
    child.once('error', over);
    child.once('exit', over);
    return child;
  }

  #forget(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    for (const resolve of this.#open.values()) resolve(null);
    this.#open.clear();
  }
}
