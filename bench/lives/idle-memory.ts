/** What an orchestrator that has nothing to do holds of the machine's memory: the parts of `up`, a minute after a run's end. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/ports/free-port.js';
import { BottleLife, FIRST_INSTRUCTION } from './bottle-life.js';
import { plainFigure, type Figure } from '../base/figure.js';
import { withLives } from './life-stack.js';
import { MIB, residentSet } from '../base/resident-set.js';

const IDLE_MS = 60_000;
const COUNTED: readonly string[] = ['worker', 'webhook'];

/** Worker and webhook together; the API and `up` itself are shown beside them. One life goes before, so that all of it is loaded. */
export async function idleMemory(): Promise<Figure> {
  const env = { API_LISTEN: `127.0.0.1:${String(await freePort())}` };
  return withLives(FIRST_INSTRUCTION, { env }, async (world) => {
    const { life } = await BottleLife.launch(world);
    await life.resume();
    await life.close();
    await sleep(IDLE_MS);
    const up = world.stack.upProcess.pid;
    if (up === undefined) throw new Error('`up` does not run');
    const sets = await Promise.all(
      [...(await partsOf(up)), { name: 'up', pid: up }].map(async ({ name, pid }) => {
        const { bytes, fileBytes } = await residentSet(pid);
        return { name, mib: bytes / MIB, fileMib: fileBytes / MIB };
      }),
    );
    const counted = sets.filter(({ name }) => COUNTED.includes(name));
    if (counted.length !== COUNTED.length) throw new Error(`not all of ${COUNTED.join(', ')} run`);
    const notes = sets.map(
      ({ name, mib, fileMib }) => `${name}: ${mib.toFixed(0)} MiB, of which files ${fileMib.toFixed(0)}`,
    );
    const sum = counted.reduce((total, { mib }) => total + mib, 0);
    return plainFigure([sum], { goal: 240, unit: 'MiB', better: 'less', notes });
  });
}

/** The Node processes that `up` started, by the names of their entries. */
async function partsOf(up: number): Promise<readonly { readonly name: string; readonly pid: number }[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const parts = await Promise.all(
    pids.map(async (pid) => {
      const read = (file: string): Promise<string> =>
        readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
      const [, parent] = /^PPid:\t(\d+)$/m.exec(await read('status')) ?? [];
      const [, name] = /\/dist\/(\w+)\.js\0$/.exec(await read('cmdline')) ?? [];
      return Number(parent) === up && name !== undefined ? { name, pid: Number(pid) } : null;
    }),
  );
  return parts.filter((part) => part !== null);
}
