#!/usr/bin/env node
/** Composition root of the command line. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LocalBlobStore } from './adapters/files/blob-store.js';
import { ManifestDirectory } from './adapters/manifests/manifest-directory.js';
import { openDatabaseReadOnly } from './adapters/sqlite/open-database-read-only.js';
import { latestRejections } from './adapters/sqlite/rejection-log.js';
import { setUpNamespace } from './adapters/temporal/set-up-namespace.js';
import { createCli } from './cli/create-cli.js';
import type { CliDeps, ServiceRole } from './cli/deps.js';
import { doctorChecks } from './cli/doctor/checks.js';
import { orchestratorClient } from './cli/orchestrator-client.js';
import type { Orchestrator } from './cli/orchestrator.js';
import { loadConfig } from './config.js';
import { homePath } from './config/home.js';
import { writeBoundSecret } from './config/secret-binding.js';
import { doctorProbes } from './wiring/doctor-probes.js';
import { escapeTerminal } from './domain/escape.js';
import { forgePages } from './wiring/forge-of-config.js';
import { forgeSetup } from './wiring/forge-setup.js';
import { manifestLibrary } from './wiring/manifest-library.js';
import { needsWorld } from './wiring/needs-world.js';
import { janitor } from './wiring/janitor.js';
import { runLogs } from './wiring/run-logs.js';
import { operatorTrigger } from './wiring/operator-trigger.js';
import { serveUp, serveWebhook, serveWorker } from './wiring/serve.js';
import { temporalClient } from './wiring/temporal-client.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** What a failed start left open must not keep the process longer than this, milliseconds. */
const EXIT_GRACE_MS = 3_000;

async function serve(role: ServiceRole): Promise<number> {
  const { config, warnings } = loadConfig(process.env);
  for (const warning of warnings) process.stderr.write(`warning: ${escapeTerminal(warning)}\n`);
  if (role === 'worker') return serveWorker(config);
  if (role === 'webhook') return serveWebhook(config);
  return serveUp(config, (line) => process.stderr.write(`bot-bottle: ${line}\n`));
}

function orchestrator(): Promise<Orchestrator> {
  const { config } = loadConfig(process.env);
  const home = config.BOT_BOTTLE_HOME;
  const client = temporalClient(config);
  const database = openDatabaseReadOnly(path.join(home, 'bot-bottle.db'));
  const blobs = new LocalBlobStore(home);
  const storePrompt = (text: string): Promise<string> => blobs.put(text);
  return Promise.resolve(
    orchestratorClient({
      client,
      database,
      storePrompt,
      trigger: (subject, options) => operatorTrigger({ config, client, storePrompt }, subject, options),
      rejections: (limit) => latestRejections(path.join(home, 'rejections.db'), limit),
      close: async () => {
        database.close();
        await client.connection.close();
      },
    }),
  );
}

async function temporalSetup(): ReturnType<CliDeps['temporalSetup']> {
  const client = temporalClient(loadConfig(process.env).config);
  try {
    const { added } = await setUpNamespace(client);
    return { namespace: client.options.namespace, added };
  } finally {
    await client.connection.close();
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function terminal(): ReturnType<CliDeps['io']['terminal']> {
  if (!process.stdout.isTTY) return null;
  const { NO_COLOR = '', TERM } = process.env;
  // no-color.org: any value that is not empty
  return { columns: process.stdout.columns || 80, colors: NO_COLOR === '' && TERM !== 'dumb' };
}

function interrupted(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => {
      ending.abort();
    });
  // A reader that has seen enough, such as `head`, is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    ending.abort();
  });
  return ending.signal;
}

const deps: CliDeps = {
  version,
  io: {
    stdout: process.stdout,
    stderr: process.stderr,
    terminal,
    stdin: { isTTY: process.stdin.isTTY, read: readStdin },
  },
  orchestrator,
  serve,
  temporalSetup,
  doctorChecks: () => doctorChecks(doctorProbes(process.env)),
  janitor: () => janitor(loadConfig(process.env).config),
  forgeSetup: () => forgeSetup(loadConfig(process.env).config),
  config: () => loadConfig(process.env),
  setSecret: (name, content, hosts) => writeBoundSecret(homePath(process.env), name, content, hosts),
  manifests: () => {
    const { config } = loadConfig(process.env);
    return manifestLibrary(new ManifestDirectory(config.BOT_BOTTLE_HOME), needsWorld(config));
  },
  logs: () => runLogs(homePath(process.env)),
  interrupted,
  forgePages: () => forgePages(loadConfig(process.env).config),
};

process.exitCode = await createCli(deps).run(process.argv.slice(2));
// What is being written still gets its time.
setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
