/** `bot-bottle dashboard`: from the first frame to the last. */
import { once } from 'node:events';
import { escapeTerminal } from '../domain/text/escape.js';
import { withSize } from './model/arrive.js';
import { initialState } from './model/state.js';
import { operator } from './operator.js';
import { Screen } from './screen.js';
import { Store } from './store.js';
import { watch } from './watch.js';
import type { DashboardWorld } from './world.js';

/** Resolves when the operator quits, or the world's signal aborts. The terminal is then as it was. */
export async function showDashboard(world: DashboardWorld): Promise<void> {
  const { stdout } = world.terminal;
  const size = (): { columns: number; rows: number } => {
    // Some terminals, such as a serial line, say 0 or nothing. Written there: ink looks for itself.
    stdout.columns ||= 80;
    stdout.rows ||= 24;
    return { columns: stdout.columns, rows: stdout.rows };
  };
  const store = new Store(initialState(size(), Date.now()));
  const quitting = new AbortController();
  const quit = (): void => {
    quitting.abort();
  };
  const ended = AbortSignal.any([quitting.signal, world.ended]);
  const { subscribe, state } = store;
  const { press, kept } = operator(world, store, { quit, aside });
  const screen = new Screen(world.terminal, { subscribe, state, press, colors: world.colors });

  /** With the shell's screen, and keys that are not ours. */
  async function aside<T>(work: () => Promise<T>): Promise<T> {
    screen.leave();
    try {
      return await work();
    } finally {
      // The terminal may have got another size meanwhile.
      store.update((before) => withSize(before, size()));
      if (!ended.aborted) screen.enter();
    }
  }

  const resized = (): void => {
    store.update((before) => withSize(before, size()));
    screen.redraw();
  };
  stdout.on('resize', resized);
  process.on('exit', screen.leave);
  screen.enter();
  try {
    // Whoever does not answer just now is not waited for.
    await Promise.race([watch(world.desk, store, ended), aborted(ended)]);
  } finally {
    stdout.off('resize', resized);
    screen.leave();
    process.off('exit', screen.leave);
    for (const line of kept()) stdout.write(`${escapeTerminal(line)}\n`);
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
