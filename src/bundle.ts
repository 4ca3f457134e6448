/**
 * The sidecar container of one bottle: serves the forge protocol to the agent until SIGTERM. Exit codes: 0 stopped as
 * asked, 1 a fault, 78 (EX_CONFIG of sysexits.h) when something it needs is missing or wrong.
 */
import { existsSync } from 'node:fs';
import { InvalidInputError } from './domain/base/errors.js';
import { redact } from './domain/text/redact.js';
import { bundleLog, errorFields, type BundleLog } from './bundle/base/bundle-log.js';
import { readBundleConfig, readToken, type BundleConfig } from './bundle/config.js';
import type { AgentForge } from './bundle/plane/method.js';
import { startBundle, type RunningBundle } from './bundle/start-bundle.js';

const EXIT_CONFIG = 78;
/** Stopping takes less than a second, or is given up. */
const STOP_DEADLINE_MS = 900;

let log: BundleLog = bundleLog((text) => text);

async function connect(config: BundleConfig): Promise<AgentForge> {
  const { tokenFile, caFile } = config.paths;
  const { connectForge } = await import('./wiring/connect-forge.js');
  const forgeFor = connectForge({
    baseUrl: config.forgeApi,
    token: readToken(tokenFile),
    caFile: existsSync(caFile) ? caFile : null,
    socketPath: config.forgeTransportSocket,
  });
  return forgeFor({ forge: 'gitea', owner: config.owner, repo: config.repo });
}

async function start(): Promise<RunningBundle> {
  const config = readBundleConfig(process.env);
  const withoutSecrets = redact(config.hasForge ? [readToken(config.paths.tokenFile)] : [], '[secret]');
  log = bundleLog(withoutSecrets);
  let connecting: Promise<AgentForge> | undefined;
  const forge = (): Promise<AgentForge> => (connecting ??= connect(config));
  const bundle = await startBundle(config, { forge, log, redact: withoutSecrets });
  const { slug, turn, issue, pr } = config;
  log('info', 'serving', { slug, turn, issue, pr, readyAfterMs: Math.round(performance.now()) });
  return bundle;
}

/** The container's first process gets no signal that it does not ask for, so this comes before anything else. */
function stopOnSignal(starting: Promise<RunningBundle>): void {
  const stop = (signal: string): void => {
    log('info', 'stopping', { signal });
    setTimeout(() => {
      log('error', 'stopping takes too long, leaving');
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    starting
      .then((bundle) => bundle.stop())
      .then(
        (complete) => {
          log(
            complete ? 'info' : 'error',
            complete ? 'stopped' : 'stopped, but log lines could not be written',
          );
          process.exit(complete ? 0 : 1);
        },
        () => process.exit(1),
      );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

const starting = start();
stopOnSignal(starting);
process.on('uncaughtException', (error) => {
  log('error', 'uncaught', errorFields(error));
  process.exit(1);
});
starting.catch((error: unknown) => {
  if (error instanceof InvalidInputError) {
    log('error', `cannot start: ${error.message}`);
    process.exit(EXIT_CONFIG);
  }
  log('error', 'cannot start', errorFields(error));
  process.exit(1);
});
