/** The terminal while the dashboard has it: another screen than the shell's, keys one by one, no cursor. */
import { render, type Instance } from 'ink';
import { createElement } from 'react';
import { Dashboard, type DashboardProps } from './view/dashboard.js';
import type { DashboardWorld } from './world.js';

/** The other screen. A line that the terminal finds too long is cut there: wrapped, it would move all others. */
const ENTER = '\u001B[?1049h\u001B[?7l';
const CLEAR = '\u001B[2J\u001B[H';
const LEAVE = '\u001B[?7h\u001B[?1049l\u001B[?25h';

export class Screen {
  #shown: Instance | undefined;

  constructor(
    private readonly terminal: DashboardWorld['terminal'],
    private readonly props: DashboardProps,
  ) {}

  /** Whatever ends the process, the terminal is the shell's again. */
  readonly leave = (): void => {
    if (this.#shown === undefined) return;
    const shown = this.#shown;
    this.#shown = undefined;
    shown.unmount();
    // Who comes next must get the keys: an unread one would still be ours.
    this.terminal.stdin.pause();
    this.terminal.stdout.write(LEAVE);
  };

  enter(): void {
    if (this.#shown !== undefined) return;
    this.terminal.stdout.write(ENTER + CLEAR);
    this.#draw();
  }

  /** After the terminal has got another size, none of it is where the last frame left it. */
  redraw(): void {
    if (this.#shown === undefined) return;
    this.#shown.unmount();
    this.terminal.stdout.write(CLEAR);
    this.#draw();
  }

  #draw(): void {
    this.#shown = render(createElement(Dashboard, this.props), {
      ...this.terminal,
      exitOnCtrlC: false,
      patchConsole: false,
    });
  }
}
