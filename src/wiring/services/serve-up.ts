import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { isLoopbackHost } from '../../adapters/loopback/is-loopback.js';
import { setUpNamespace } from '../../adapters/temporal/set-up-namespace.js';
import type { Config } from '../../config.js';
import { ensureHome } from '../../config/home.js';
import { InvalidInputError } from '../../domain/errors.js';
import { findNeeds } from './find-needs.js';
import type { Say } from './run-service.js';
import { startWorker } from '../start-worker.js';
import { temporalClient } from '../temporal-client.js';
import { startDevServer, temporalProgram, type DevServer } from '../temporal-dev-server.js';
import { untilAskedToStop } from './until-asked-to-stop.js';
import { webhookSecret } from './webhook-needs.js';
import { workerNeeds } from './worker-needs.js';

/** Its entry, compiled or not, as this file is. */
const WEBHOOK = fileURLToPath(new URL(`../../webhook${path.extname(import.meta.url)}`, import.meta.url));

/**
 * Temporal (when none answers), webhook and worker; everything that was under way goes on. Errors: `MissingNeedsError`
 * before anything is started.
 */
export async function serveUp(config: Config, say: Say): Promise<number> {
  const { host, port } = config.TEMPORAL_ADDRESS;
  const client = temporalClient(config);
  const reachable = (): Promise<boolean> => answers(client);
  let server: DevServer | undefined;
  let webhook: ChildProcess | undefined;
  try {
    const { worker: needs, temporal } = await findNeeds({
      worker: () => workerNeeds(config),
      webhookSecret: () => webhookSecret(config),
      temporal: async () => ((await reachable()) ? null : ownTemporal(config)),
    });
    ensureHome(config.BOT_BOTTLE_HOME);
    const asked = untilAskedToStop();
    if (temporal === null) say(`Temporal answers at ${host}:${String(port)}`);
    else {
      server = await startDevServer({
        program: temporal.program,
        home: config.BOT_BOTTLE_HOME,
        host,
        port,
        uiPort: config.TEMPORAL_UI_PORT,
        namespace: config.TEMPORAL_NAMESPACE,
        reachable,
      });
      say(`Temporal started at ${host}:${String(port)}, its pages at ${server.uiUrl}`);
    }
    await setUpNamespace(client);
    const door = startWebhookProcess();
    webhook = door.child;
    say(`webhook listens at ${await door.listening}/webhooks/gitea`);
    const worker = await startWorker(config, needs);
    say('worker runs; stop with Ctrl-C');
    const broken = Promise.race([
      once(door.child, 'exit'),
      worker.stopped(),
      ...(server === undefined ? [] : [server.ended]),
    ]);
    const end = await Promise.race([
      asked.then(() => 'asked' as const),
      broken.then(() => 'broken' as const),
    ]);
    say(
      end === 'asked'
        ? 'stopping; what runs goes on at the next `up`'
        : 'a part stopped by itself; stopping the rest',
    );
    await stopProcess(door.child);
    worker.stop();
    await worker.stopped();
    return end === 'asked' ? 0 : 1;
  } finally {
    if (webhook !== undefined) await stopProcess(webhook);
    await client.connection.close();
    await server?.stop();
  }
}

async function answers(client: Client): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + 1_000, () =>
      client.workflowService.describeNamespace({ namespace: client.options.namespace }),
    );
    return true;
  } catch {
    return false;
  }
}

/** What starts one where none answers. Errors: `InvalidInputError` when that cannot be. */
function ownTemporal({ TEMPORAL_ADDRESS: { host, port } }: Config): { readonly program: string } {
  if (isLoopbackHost(host)) return { program: temporalProgram() };
  throw new InvalidInputError(
    `no Temporal answers at ${host}:${String(port)}, and \`up\` starts one of its own, which knows no passwords, on loopback only: start that Temporal, or set TEMPORAL_ADDRESS to 127.0.0.1:7233`,
  );
}

/** The webhook is a process of its own: it faces the network, and has neither the engine's socket nor our memory. */
function startWebhookProcess(): { readonly child: ChildProcess; readonly listening: Promise<string> } {
  const child = fork(WEBHOOK, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true });
  const listening = new Promise<string>((resolve, reject) => {
    child.once('message', (message: { readonly listening: string }) => {
      resolve(message.listening);
    });
    child.once('exit', (code) => {
      reject(new Error(`the webhook did not start (exit code ${String(code)}); its reason stands above`));
    });
  });
  return { child, listening };
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await once(child, 'exit');
  clearTimeout(late);
}
