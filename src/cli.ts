#!/usr/bin/env node
/** Composition root of the command line. */
import { readFileSync } from 'node:fs';
import { createCli } from './cli/create-cli.js';
import type { CliDeps, ServiceRole } from './cli/deps.js';
import { loadConfig } from './config.js';
import { homePath } from './config/home.js';
import { writeSecret } from './config/secrets.js';
import { lazyClient, temporalTarget } from './adapters/temporal/connect.js';
import { setUpNamespace } from './adapters/temporal/set-up-namespace.js';
import { serveUp, serveWebhook, serveWorker } from './serve.js';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };

async function serve(role: ServiceRole): Promise<number> {
  const { config, warnings } = loadConfig(process.env);
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  if (role === 'worker') return serveWorker(config);
  if (role === 'webhook') return serveWebhook(config);
  return serveUp(config, (line) => process.stderr.write(`bot-bottle: ${line}\n`));
}

const deps: CliDeps = {
  version,
  io: {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: { isTTY: process.stdin.isTTY, read: readStdin },
  },
  orchestrator: () => Promise.reject(new Error('not yet')),
  serve,
  temporalSetup: async () => {
    const { config } = loadConfig(process.env);
    const { host, port } = config.TEMPORAL_ADDRESS;
    const client = lazyClient(temporalTarget({ address: `${host}:${String(port)}`, namespace: config.TEMPORAL_NAMESPACE }));
    try {
      const { added } = await setUpNamespace(client);
      return { namespace: client.options.namespace, added };
    } finally {
      await client.connection.close();
    }
  },
  doctorChecks: () => [],
  config: () => loadConfig(process.env),
  setSecret: (name, content) => writeSecret(homePath(process.env), name, content),
  forgeWebUrl: () => loadConfig(process.env).config.FORGE_GITEA_API?.replace(/\/api\/v1\/?$/, '') ?? null,
};

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

process.exitCode = await createCli(deps).run(process.argv.slice(2));
// What a failed start left open must not keep the process; what is being written still gets its time.
setTimeout(() => process.exit(), 3_000).unref();
