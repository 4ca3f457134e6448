/** The long-running commands: each runs until a signal, then stops in good order. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setUpNamespace } from '../adapters/temporal/set-up-namespace.js';
import { isLoopbackHost } from '../adapters/loopback/is-loopback.js';
import type { Config } from '../config.js';
import { ensureHome } from '../config/home.js';
import { InvalidInputError } from '../domain/errors.js';
import { startDevServer, type DevServer } from './temporal-dev-server.js';
import { startWebhook } from './start-webhook.js';
import { temporalClient } from './temporal-client.js';
import { startWorker } from './start-worker.js';

export type Say = (line: string) => void;

export async function serveWorker(config: Config): Promise<number> {
  ensureHome(config.BOT_BOTTLE_HOME);
  const worker = await startWorker(config);
  void untilAskedToStop().then(() => {
    worker.stop();
  });
  await worker.stopped();
  return 0;
}

export async function serveWebhook(config: Config): Promise<number> {
  ensureHome(config.BOT_BOTTLE_HOME);
  const webhook = await startWebhook(config);
  // `up` waits for this word before it says that it is up.
  process.send?.({ listening: webhook.url });
  await untilAskedToStop();
  await webhook.stop();
  if (process.connected) process.disconnect();
  return 0;
}

/** Temporal (when none answers), webhook and worker; everything that was under way goes on. */
export async function serveUp(config: Config, say: Say): Promise<number> {
  ensureHome(config.BOT_BOTTLE_HOME);
  const { host, port } = config.TEMPORAL_ADDRESS;
  const client = temporalClient(config);
  const reachable = async (): Promise<boolean> => {
    try {
      await client.withDeadline(Date.now() + 1_000, () =>
        client.workflowService.describeNamespace({ namespace: client.options.namespace }),
      );
      return true;
    } catch {
      return false;
    }
  };
  const asked = untilAskedToStop();
  let server: DevServer | undefined;
  let webhook: ChildProcess | undefined;
  try {
    if (await reachable()) say(`Temporal answers at ${host}:${String(port)}`);
    else {
      if (!isLoopbackHost(host))
        throw new InvalidInputError(
          `no Temporal answers at ${host}:${String(port)}, and \`up\` starts one of its own, which knows no passwords, on loopback only: start that Temporal, or set TEMPORAL_ADDRESS to 127.0.0.1:7233`,
        );
      server = await startDevServer({
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
    say(`webhook listens at ${await door.listening}/webhooks/${config.FORGE_KIND}`);
    const worker = await startWorker(config);
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

/** The webhook is a process of its own: it faces the network, and has neither the engine's socket nor our memory. */
function startWebhookProcess(): { readonly child: ChildProcess; readonly listening: Promise<string> } {
  const child = fork(process.argv[1] ?? '', ['webhook'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
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

/** SIGINT, SIGTERM, or the end of the process that started this one. */
function untilAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      resolve();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    process.once('disconnect', stop);
  });
}
