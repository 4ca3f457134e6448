/**
 * The product's own worker, which kills itself with SIGKILL at each of the points of KILL_AT once: the effect is there,
 * and nobody was told. Whoever started it starts it again.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as ConfigModule from '../../../src/config/load-config.js';
import type * as WorkerModule from '../../../src/wiring/worker/start-worker.js';
import type * as NeedsModule from '../../../src/wiring/worker/worker-needs.js';
import type { HostPorts } from '../../../src/activities/ports/host-ports.js';
import { markOf } from './kill-marks.js';

const built = (file: string): string => new URL(`../../../dist/${file}`, import.meta.url).href;
const { loadConfig } = (await import(built('config/load-config.js'))) as typeof ConfigModule;
const { startWorker } = (await import(built('wiring/worker/start-worker.js'))) as typeof WorkerModule;
const { workerNeeds } = (await import(built('wiring/worker/worker-needs.js'))) as typeof NeedsModule;

const home = process.env['BOT_BOTTLE_HOME'] ?? '';
const points = new Set((process.env['KILL_AT'] ?? '').split(','));

function dieOnce(point: string): void {
  const mark = join(home, markOf(point));
  if (!points.has(point) || existsSync(mark)) return;
  writeFileSync(mark, '');
  process.kill(process.pid, 'SIGKILL');
}

/** Every method of a port, with the chance to die between its effect and its answer. */
function fatal<T extends object>(port: T, name: string): T {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, args);
        if (!(answer instanceof Promise)) return answer;
        const role = ['agent', 'bundle'].find((one) => args.includes(one));
        return answer.then((value: unknown) => {
          dieOnce(`${name}.${String(key)}${role === undefined ? '' : `:${role}`}`);
          return value;
        });
      };
    },
  });
}

const decorate = (ports: HostPorts): HostPorts => ({
  ...ports,
  runtime: fatal(ports.runtime, 'runtime'),
  git: fatal(ports.git, 'git'),
  queue: fatal(ports.queue, 'queue'),
  forgeFor: (repo) => fatal(ports.forgeFor(repo), 'forge'),
});

const { config } = loadConfig(process.env);
const worker = await startWorker(config, await workerNeeds(config), decorate);
process.once('SIGTERM', () => {
  worker.stop();
});
await worker.stopped();
