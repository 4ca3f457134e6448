import { setTimeout as delay } from 'node:timers/promises';
import { requireRuntime } from '../../activities/turn/begin/require-runtime.js';
import { dockerBottleRuntime } from '../../adapters/docker/docker-runtime.js';
import type { EngineFacts } from '../../adapters/docker/engine-facts.js';
import type { Config } from '../../config/load-config.js';
import { secretsRead } from '../../config/secrets.js';
import { BottleRuntimeError, InvalidInputError } from '../../domain/base/errors.js';
import type { SecretGuard } from '../../domain/secret/secret-guard.js';
import { createLogger, type Logger } from '../../config/log.js';
import { findExecutable } from '../find-executable.js';
import { findNeeds } from '../find-needs.js';
import { forgeOfConfig, type ConfiguredForge } from '../forge-of-config.js';
import { notifySecret } from '../notify-hooks.js';
import { secretGuardOfConfig } from '../secret-guard-of-config.js';
import { assertBotRights } from '../start-up-rights.js';
import { codecKeysOf } from '../temporal-client.js';
import { publishToken, sidecarToken } from '../secrets-of-config.js';

/** An engine that takes the connection and says nothing. */
const ENGINE_TIMEOUT_MS = 10_000;

export interface WorkerNeeds {
  readonly forge: ConfiguredForge;
  readonly secrets: SecretGuard;
  readonly engine: EngineFacts;
  readonly log: Logger;
}

/** What the worker stands on, found before anything is started. Errors: `MissingNeedsError`. */
export async function workerNeeds(config: Config): Promise<WorkerNeeds> {
  const log = createLogger({ level: config.LOG_LEVEL, name: 'worker', secrets: secretsRead });
  const { forge, secrets, engine } = await findNeeds({
    forge: () => forgeOfConfig(config),
    codecKeys: () => codecKeysOf(config),
    token: () => sidecarToken(config),
    publishToken: () => publishToken(config),
    notifySecret: () => (config.NOTIFY_WEBHOOK_URL === null ? null : notifySecret(config)),
    secrets: () => secretGuardOfConfig(config),
    engine: () => engineWith(config.BOTTLE_RUNTIME),
    git: requireGit,
    rights: () => assertBotRights(config, log),
  });
  return { forge, secrets, engine, log };
}

async function engineWith(runtimeName: string | null): Promise<EngineFacts> {
  const runtime = dockerBottleRuntime();
  const ending = new AbortController();
  const late = delay(ENGINE_TIMEOUT_MS, undefined, { signal: ending.signal }).then(() => {
    throw new BottleRuntimeError(
      `the Docker engine said nothing for ${String(ENGINE_TIMEOUT_MS / 1000)} s: restart it, or set DOCKER_HOST to another one`,
      true,
      { away: true },
    );
  });
  try {
    const facts = await Promise.race([runtime.facts(), late]);
    await requireRuntime(runtime, runtimeName);
    return facts;
  } finally {
    ending.abort();
  }
}

function requireGit(): void {
  if (findExecutable('git') === undefined)
    throw new InvalidInputError('there is no program git on the PATH: install git 2.32 or newer');
}
