/** Composition root of the HTTP API. */
import { hostname } from 'node:os';
import { problemAnswer } from '../../api/base/problem.js';
import { isWildcard } from '../../api/authorize.js';
import { createApi } from '../../api/create-api.js';
import { orchestratorClient } from '../../cli/runs/orchestrator-client.js';
import type { Config } from '../../config/load-config.js';
import type { Logger } from '../../config/log.js';
import { DEFAULT_LIMITS, listen, type MalformedAnswer } from '../../webhook/door/listen.js';
import { openApiTokens } from '../operator/open-api-tokens.js';
import { orchestratorWorld } from '../operator/open-orchestrator.js';
import { openProvenance } from '../operator/open-provenance.js';
import { runLogs } from '../run-logs.js';
import { onFreePort } from '../free-port.js';
import { VERSION } from '../version.js';

const REQUESTS_PER_MINUTE = 1_200;
/** Streams have no end of their own. */
const STOP_GRACE_MS = 1_000;

export interface RunningApi {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param requestsPerMinute of one token */
export async function startApi(
  config: Config & { readonly API_LISTEN: { readonly host: string; readonly port: number } },
  log: Logger,
  requestsPerMinute = REQUESTS_PER_MINUTE,
): Promise<RunningApi> {
  const { BOT_BOTTLE_HOME: home, API_LISTEN: address } = config;
  // A stop closes the client under requests: see `lazyClient`. Whoever got 503 asks again.
  const world = orchestratorWorld(config, { retries: false });
  const provenance = openProvenance(home);
  const logs = runLogs(home);
  const app = createApi(
    {
      tokens: openApiTokens(home),
      database: world.database,
      provenance,
      logs,
      orchestrator: (by) => orchestratorClient({ ...world, by }),
      hosts: [address.host.toLowerCase()],
      machine: hostname()
        .replace(/[\p{C}\p{Z}]+/gu, '_')
        .slice(0, 64),
      requestsPerMinute,
      now: Date.now,
      onError: (message, err) => {
        log.error({ err }, message);
      },
    },
    VERSION,
  );
  const malformed: MalformedAnswer = (status) =>
    problemAnswer(status, 'send a complete request, with at most 16 KiB of headers and address');
  const listening = await onFreePort('API_LISTEN', address, () =>
    listen(app, address, DEFAULT_LIMITS, malformed),
  );
  if (isWildcard(address.host))
    log.warn(
      {},
      'only requests for 127.0.0.1 or localhost are answered: let API_LISTEN name what clients use',
    );
  return {
    url: listening.url,
    stop: async () => {
      await listening.close(STOP_GRACE_MS);
      await Promise.all([provenance.close(), logs.close(), world.close()]);
    },
  };
}
