import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { waitUntil, type Stack } from './stack.js';

export interface StackProcess {
  readonly pid: number;
  readonly argv: readonly string[];
}

/** Everything that was started for a home of the product, by the environment it was started with. */
export async function processesOf(home: string): Promise<StackProcess[]> {
  const mark = `BOT_BOTTLE_HOME=${home}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid): Promise<StackProcess | undefined> => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (!environment.split('\0').includes(mark)) return undefined;
      const argv = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      return { pid: Number(pid), argv };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** Waits until nothing runs any more that was started for a home of the product. */
export function allGone(home: string, timeoutMs = 20_000): Promise<void> {
  return waitUntil('its processes to be gone', async () => (await processesOf(home)).length === 0, timeoutMs);
}

/** A part of `up` that is a process of its own. */
export async function partOf(stack: Stack, part: 'worker' | 'webhook' | 'temporal'): Promise<number> {
  const word = part === 'temporal' ? 'start-dev' : `/dist/${part}.js`;
  // The guard that starts it is replaced by it, so there is one process with that word.
  const found = (await processesOf(stack.home)).filter(({ argv }) => argv.some((one) => one.endsWith(word)));
  const [process] = found;
  assert.ok(process !== undefined && found.length === 1, `one ${part} process: ${JSON.stringify(found)}`);
  return process.pid;
}
