import type { Config } from '../../config/load-config.js';
import { ensureHome } from '../../config/home.js';
import { startWorker } from '../worker/start-worker.js';
import { tellUp, untilMayStart } from './part-of-up.js';
import { untilAskedToStop } from './until-asked-to-stop.js';
import { workerNeeds } from '../worker/worker-needs.js';

/** The worker until a signal. Errors: `MissingNeedsError` before anything is started; those of `startWorker`. */
export async function serveWorker(config: Config): Promise<void> {
  const needs = await workerNeeds(config);
  await untilMayStart();
  ensureHome(config.BOT_BOTTLE_HOME);
  const worker = await startWorker(config, needs);
  await tellUp({ kind: 'serving', at: '' });
  void untilAskedToStop().then(() => {
    worker.stop();
  });
  await worker.stopped();
}
