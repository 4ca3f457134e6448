import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../domain/base/message-of.js';
import { isLoopbackHost } from '../../domain/base/loopback.js';
import type { Config } from '../../config/load-config.js';
import { ensureHome } from '../../config/home.js';
import { InvalidInputError } from '../../domain/base/errors.js';
import { rememberEnd } from '../../domain/upkeep/part-ends.js';
import { spawnDevServer, temporalProgram } from './temporal-dev-server.js';
import { findNeeds } from '../find-needs.js';
import { KeptPart, type OnEnd, type Part } from './keep-part.js';
import { startPartProcess } from './part-process.js';
import type { Say } from './run-service.js';
import { TemporalAsker } from './temporal-asker.js';
import { untilAskedToStop } from './until-asked-to-stop.js';
import { webhookSecret } from '../secrets-of-config.js';

const TEMPORAL_POLL_MS = 250;
const FRONT_STOP_MS = 15_000;
/** The worker itself ends what does not stop after a minute. */
const WORKER_STOP_MS = 75_000;

/** The order to stop in: first nothing new comes in, then nothing is worked on, then nothing is kept. */
const STOP_ORDER = ['webhook', 'API', 'worker', 'Temporal'] as const;
type PartName = (typeof STOP_ORDER)[number];

class AskedToStop extends Error {}

/**
 * Temporal (when none answers), webhook, worker and API, each a process of its own that is started again when it ends by
 * itself; everything that was under way goes on. Errors: `MissingNeedsError` before anything is started, and why a part
 * is not started again.
 */
export async function serveUp(config: Config, say: Say): Promise<void> {
  const asker = new TemporalAsker();
  const parts = new Map<PartName, KeptPart>();
  try {
    await untilAsked(config, asker, parts, say);
  } catch (error) {
    if (!(error instanceof AskedToStop)) throw error;
    say('stopping; what runs goes on at the next `up`');
  } finally {
    for (const part of parts.values()) part.letEnd();
    for (const name of STOP_ORDER) await parts.get(name)?.stop();
    await asker.close();
  }
}

/** Errors: `AskedToStop`, and what makes it end by itself. */
async function untilAsked(
  config: Config,
  asker: TemporalAsker,
  parts: Map<PartName, KeptPart>,
  say: Say,
): Promise<never> {
  const { BOT_BOTTLE_HOME: home, TEMPORAL_ADDRESS: at } = config;
  const reachable = (): Promise<boolean> => asker.answers();
  const keep = (name: PartName, start: () => Part): KeptPart => {
    const part = new KeptPart(name, start, telling(home, say), () => {
      say(`${name} runs again`);
    });
    parts.set(name, part);
    return part;
  };
  const [workerFound, workerHasFound] = event();
  const [mayWork, letWork] = event();
  // The worker looks for its needs itself, and waits: this process has neither the engine nor git.
  const worker = keep('worker', () =>
    startPartProcess({
      entry: 'worker',
      // It holds the home's lock and watches turns: the next `up` must not wait for it.
      orphaned: 'KILL',
      stopMs: WORKER_STOP_MS,
      onFound: async () => {
        workerHasFound();
        await mayWork;
        while (!(await reachable())) await delay(TEMPORAL_POLL_MS, undefined, { ref: false });
      },
    }),
  );
  const { temporal } = await findNeeds({
    worker: () => Promise.race([workerFound, worker.lost()]),
    webhookSecret: () => webhookSecret(config),
    temporal: async () => ((await reachable()) ? null : ownTemporal(config)),
  });
  ensureHome(home);
  const asked = untilAskedToStop().then(() => Promise.reject(new AskedToStop()));
  const where = `${at.host}:${String(at.port)}`;
  if (temporal === null) say(`Temporal answers at ${where}`);
  else {
    const uiPort = config.TEMPORAL_UI_PORT;
    const namespace = config.TEMPORAL_NAMESPACE;
    const codec =
      config.TEMPORAL_CODEC_KEYS === null
        ? {}
        : { codecUrl: `http://127.0.0.1:${String(config.TEMPORAL_CODEC_PORT)}` };
    const own = { home, host: at.host, port: at.port, uiPort, namespace, reachable };
    const options = { ...temporal, ...own, ...codec };
    await Promise.race([asked, keep('Temporal', () => spawnDevServer(options)).serving()]);
    say(`Temporal started at ${where}, its pages at http://${at.host}:${String(uiPort)}`);
  }
  await Promise.race([asked, asker.setUp()]);
  let url = '';
  const webhook = keep('webhook', () =>
    startPartProcess({
      entry: 'webhook',
      orphaned: 'TERM',
      stopMs: FRONT_STOP_MS,
      onServing: (listens) => (url = listens),
    }),
  );
  await Promise.race([asked, webhook.serving()]);
  say(`webhook listens at ${url}/webhooks/gitea`);
  letWork();
  await Promise.race([asked, worker.serving()]);
  if (config.API_LISTEN !== null) {
    const api = keep('API', () =>
      startPartProcess({
        entry: 'api',
        orphaned: 'TERM',
        stopMs: FRONT_STOP_MS,
        onServing: (listens) => (url = listens),
      }),
    );
    await Promise.race([asked, api.serving()]);
    say(`API listens at ${url}/api/v1`);
  }
  say('worker runs; stop with Ctrl-C');
  return Promise.race([asked, ...[...parts.values()].map((part) => part.lost())]);
}

/** Says how a part ended, and keeps it for `doctor`. */
function telling(home: string, say: Say): OnEnd {
  return async (end, pauseMs) => {
    const next = pauseMs === null ? 'stopping the rest' : `starting it again in ${String(pauseMs / 1000)} s`;
    say(`${end.part} ended by itself: ${end.reason}; ${next}`);
    // Loaded when it is needed: what checks the file is large, and parts seldom end.
    const { partEndsFile, readPartEnds, writePartEnds } =
      await import('../../adapters/files/part-ends-file.js');
    const file = partEndsFile(home);
    try {
      await writePartEnds(file, rememberEnd(await readPartEnds(file), end));
    } catch (error) {
      say(`${file} could not be written: ${messageOf(error)}`);
    }
  };
}

/** What resolves, and what makes it. */
function event(): readonly [Promise<void>, () => void] {
  let happen = (): void => undefined;
  const happened = new Promise<void>((resolve) => (happen = resolve));
  return [
    happened,
    () => {
      happen();
    },
  ];
}

/** What starts one where none answers. Errors: `InvalidInputError` when that cannot be. */
function ownTemporal({ TEMPORAL_ADDRESS: { host, port } }: Config): { readonly program: string } {
  if (isLoopbackHost(host)) return { program: temporalProgram() };
  throw new InvalidInputError(
    `no Temporal answers at ${host}:${String(port)}, and \`up\` starts one of its own, which knows no passwords, on loopback only: start that Temporal, or set TEMPORAL_ADDRESS to 127.0.0.1:7233`,
  );
}
