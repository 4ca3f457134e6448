/**
 * The product's worker, in which engine and git are played: nothing else of a run is. It ends with SIGTERM, and says
 * how many sidecars and agents ran then as a line of JSON, `{"running": 0}`.
 */
import path from 'node:path';
import { LocalQueueDirectory } from '../../src/adapters/files/queue/queue-directory.js';
import { loadConfig } from '../../src/config/load-config.js';
import { readSecret } from '../../src/config/secrets.js';
import { connectForge } from '../../src/wiring/connect-forge.js';
import type { PullRequest } from '../../src/domain/forge/issue.js';
import { startWorker } from '../../src/wiring/worker/start-worker.js';
import { workerNeeds } from '../../src/wiring/worker/worker-needs.js';
import { PlayedGit, withPlayedPulls } from './played-git.js';
import { PlayedRuntime } from './played-runtime.js';

const { config } = loadConfig(process.env);
const home = config.BOT_BOTTLE_HOME;
const token = readSecret(path.join(home, 'secrets', 'forge-token'), 'forge-token');
const baseUrl = process.env['FORGE_GITEA_API'] ?? '';
const runtime = new PlayedRuntime(connectForge({ baseUrl, token, caFile: null }));
const opened = new Map<string, PullRequest>();

const worker = await startWorker(config, await workerNeeds(config), (ports) => ({
  ...ports,
  runtime,
  git: new PlayedGit(),
  // The played sidecar is this process, not a container's user.
  queue: new LocalQueueDirectory({ home, bundleUid: process.getuid?.() ?? 0 }),
  forgeFor: (repo) => withPlayedPulls(ports.forgeFor(repo), opened),
}));
process.once('SIGTERM', () => {
  worker.stop();
});
await worker.stopped();
console.log(JSON.stringify({ running: runtime.running }));
await runtime.close();
