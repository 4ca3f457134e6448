/** A real terminal: a tmux of its own, whose one pane is looked at and typed into. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { waitUntil } from '../stack/stack.js';
import { ROOT } from '../entries/entry-process.js';
import { PATIENCE } from '../scale/patience.js';

const run = promisify(execFile);
/** A frame, and the time a key takes to get there. */
const LOOK_MS = 50;

export class Tmux {
  private constructor(private readonly name: string) {}

  /**
   * A shell without a prompt of its own, in which the command is typed.
   * @param env all that it has beside PATH, HOME and the terminal's
   */
  static async start(
    env: Readonly<Record<string, string>>,
    size: { readonly columns: number; readonly rows: number } = { columns: 80, rows: 24 },
  ): Promise<Tmux> {
    const tmux = new Tmux(`bot-bottle-${randomBytes(6).toString('hex')}`);
    const { PATH = '', HOME = '' } = process.env;
    const all = Object.entries({ PATH, HOME, TERM: 'tmux-256color', LC_ALL: 'C.UTF-8', PS1: '$ ', ...env });
    const shell = ['env', '-i', ...all.map(([name, value]) => `${name}=${value}`), 'sh'];
    const { columns, rows } = size;
    await tmux.#tmux(
      ...['-f', '/dev/null', '-u', 'new-session', '-d', '-x', String(columns), '-y', String(rows)],
      ...['-c', ROOT, ...shell],
    );
    await tmux.#tmux('set-option', '-g', 'status', 'off');
    await tmux.resize(columns, rows);
    return tmux;
  }

  /** Keys by tmux's names, such as `Enter` or `C-c`. */
  async keys(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#tmux('send-keys', key);
      // One by one, as a person types: what comes at once is taken for a paste.
      await new Promise((resolve) => setTimeout(resolve, 2 * LOOK_MS * PATIENCE));
    }
  }

  /** All of it at once. */
  async paste(text: string): Promise<void> {
    await this.#tmux('send-keys', '-l', text);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** What is seen, line by line. @param looks with colours, as escape sequences */
  async seen({ looks = false } = {}): Promise<string> {
    return (await this.#tmux('capture-pane', '-p', ...(looks ? ['-e'] : []))).trimEnd();
  }

  /** What tmux knows of the pane, such as `#{cursor_flag}`. */
  async fact(format: string): Promise<string> {
    return (await this.#tmux('display-message', '-p', format)).trim();
  }

  /** Waits until it is seen, and returns the screen. Errors: the screen as it was last. */
  async sees(what: RegExp, timeoutMs = 15_000): Promise<string> {
    let screen = '';
    try {
      await waitUntil(String(what), async () => what.test((screen = await this.seen())), timeoutMs, LOOK_MS);
    } catch (error) {
      throw new Error(`${String(what)} was not seen:\n${screen}`, { cause: error });
    }
    return screen;
  }

  /** Everything in it ends. */
  async stop(): Promise<void> {
    await this.#tmux('kill-server').catch(() => '');
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.name, ...args], {
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
    });
    return stdout;
  }
}
