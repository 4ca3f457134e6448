import type { Config } from '../../config.js';
import { ensureHome } from '../../config/home.js';
import { startWorker } from '../start-worker.js';
import { untilAskedToStop } from './until-asked-to-stop.js';
import { workerNeeds } from './worker-needs.js';

/** The worker until a signal. Errors: `MissingNeedsError` before anything is started; those of `startWorker`. */
export async function serveWorker(config: Config): Promise<number> {
  const needs = await workerNeeds(config);
  ensureHome(config.BOT_BOTTLE_HOME);
  const worker = await startWorker(config, needs);
  void untilAskedToStop().then(() => {
    worker.stop();
  });
  await worker.stopped();
  return 0;
}
