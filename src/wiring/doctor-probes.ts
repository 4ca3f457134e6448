/** What `doctor` looks at on this machine, for real. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@temporalio/client';
import { agentProvider, providerNames } from '../adapters/agents/registry.js';
import { GiteaAdmin } from '../adapters/gitea/gitea-admin.js';
import { GiteaClient } from '../adapters/gitea/gitea-client.js';
import { GitleaksScanner } from '../adapters/gitleaks/gitleaks-scanner.js';
import { currentKeyId } from '../adapters/dsse/signing-keys.js';
import { dockerBottleRuntime } from '../adapters/docker/docker-runtime.js';
import { partEndsFile, readPartEnds } from '../adapters/files/part-ends-file.js';
import { hostId } from '../adapters/files/host-id.js';
import { openDatabaseReadOnly } from '../adapters/sqlite/open-database-read-only.js';
import { ManifestDirectory } from '../adapters/manifests/manifest-directory.js';
import { latestRejections } from '../adapters/sqlite/inbox/rejection-log.js';
import { isAway, reasonOf } from '../adapters/temporal/grpc-status.js';
import { stuckWork } from '../adapters/temporal/stuck-work.js';
import { missingSearchAttributes } from '../adapters/temporal/set-up-namespace.js';
import { agentStandings } from './agent-standings.js';
import { botRights, namedRepositories } from './bot-rights.js';
import { closing } from '../cli/base/action.js';
import { ownActs } from '../cli/doctor/own-acts.js';
import type { DoctorProbes, ImageFound } from '../cli/doctor/probes.js';
import { knownSecrets } from '../config/known-secrets.js';
import { codecKeyFiles, loadConfig, type Config } from '../config/load-config.js';
import { homePath } from '../config/home.js';
import { howToSet, inspectSecret } from '../config/secrets.js';
import { isOffered, type AgentStanding } from '../domain/agent/agent-standing.js';
import type { Database } from '../domain/run/stores.js';
import { isProgram } from './find-executable.js';
import { forgeOfConfig } from './forge-of-config.js';
import { needsWorld } from './needs-world.js';
import { gitleaksProgram } from './secret-guard-of-config.js';
import { spaceForRuns } from './space-for-runs.js';
import { askingTemporal, targetOf } from './temporal-client.js';
import { sidecarToken } from './secrets-of-config.js';

const run = promisify(execFile);

const REJECTIONS_LOOKED_AT = 200;
/** For a Temporal that may be away: well before a check is given up. */
const PING_MS = 3_000;

export function doctorProbes(env: NodeJS.ProcessEnv, runtime = dockerBottleRuntime()): DoctorProbes {
  const config = (): Config => loadConfig(env).config;
  // Without retries: the first try says more of what is wrong than a deadline does.
  const asking = <T>(ask: (client: Client) => Promise<T>): Promise<T> =>
    askingTemporal(config(), ask, { retries: false });
  return {
    nodeVersion: () => process.versions.node,
    home: () => {
      const home = homePath(env);
      const stat = statSync(home, { throwIfNoEntry: false });
      return { path: home, exists: stat !== undefined, mode: stat?.mode ?? 0, writable: isWritable(home) };
    },
    configWarnings: () => loadConfig(env).warnings,
    secrets: () => {
      const { BOT_BOTTLE_HOME: at } = config();
      return secretFiles(config()).map(([name, file]) => ({ name, file, ...stateOf(at, name, file) }));
    },
    signingKey: () => currentKeyId(homePath(env)) ?? null,
    engine: () => runtime.facts(),
    weakBottles: () => weakBottles(config()),
    containerRuntime: () => config().BOTTLE_RUNTIME,
    agents: () => standings(config()),
    images: async () => {
      const find = async (name: string): Promise<ImageFound> => ({
        name,
        id: (await runtime.imageId(name)) ?? null,
      });
      const offered = (await standings(config())).filter(isOffered);
      const needed = new Set(offered.flatMap(({ image }) => image ?? []));
      const all = new Set([...needed, ...providerNames().map((name) => agentProvider(name).image)]);
      const findAgent = async (name: string) => ({ ...(await find(name)), needed: needed.has(name) });
      const [bundle, agents] = await Promise.all([
        find(config().BUNDLE_IMAGE),
        Promise.all([...all].map(findAgent)),
      ]);
      return { bundle, agents };
    },
    gitVersion: async () => (await run('git', ['--version'])).stdout,
    temporal: () =>
      asking(async (client) => {
        const address = targetOf(config()).connection.address ?? '';
        const answer = await pinged(client);
        if ('problem' in answer) return { address, ...answer };
        return { address, ...answer, missingSearchAttributes: await missingSearchAttributes(client) };
      }),
    stuckWork: () =>
      asking(async (client) => {
        if ('problem' in (await pinged(client))) return null;
        const home = homePath(env);
        const host = existsSync(path.join(home, 'host-id')) ? await hostId(home) : null;
        return stuckWork(client, { host, now: Date.now() });
      }),
    forge: () => forge(config()),
    secretScanner: async () => {
      if (config().FORGE_SECRET_SCAN === 'off') return null;
      return (await GitleaksScanner.start({ program: gitleaksProgram(config()) })).name;
    },
    notifications: async () => {
      const { NOTIFY_COMMAND: command, NOTIFY_WEBHOOK_URL: webhook, BOT_BOTTLE_HOME: at } = config();
      const hooks: readonly string[] = [
        ...(command === null ? [] : ['command']),
        ...(webhook === null ? [] : ['webhook']),
      ];
      const notes = hooks.length === 0 ? [] : await inRows(at, ({ notices }) => notices.all());
      const count = (state: string): number =>
        notes.filter((note) => note.state === state && hooks.includes(note.hook)).length;
      return {
        command: command === null ? null : { path: command, executable: isProgram(command) },
        webhook,
        givenUp: count('given_up'),
        failing: count('failing'),
      };
    },
    publishPlace: () => config().FORGE_PUBLISH,
    ciFiles: () => ciOf(config()),
    partEnds: () => readPartEnds(partEndsFile(homePath(env))),
    pauses: () => inRows(homePath(env), ({ pauses }) => pauses.all()),
    disk: async () => {
      const home = statSync(homePath(env), { throwIfNoEntry: false }) === undefined ? '/' : homePath(env);
      const { dataRoot } = await runtime.facts();
      const { BOTTLE_DISK: bytes, BOTTLE_INODES: inodes, BOTTLE_DISK_FREE: floorBytes } = config();
      const space = await spaceForRuns(home, dataRoot);
      return { space, floorBytes, quota: { bytes, inodes } };
    },
  };
}

function inRows<T>(home: string, look: (database: Database) => Promise<T>): Promise<T> {
  return closing(openDatabaseReadOnly(path.join(home, 'bot-bottle.db')), look);
}

/** A home without an id has had no run yet. */
async function weakBottles(config: Config): ReturnType<DoctorProbes['weakBottles']> {
  const { BOT_BOTTLE_HOME: home } = config;
  if (!existsSync(path.join(home, 'host-id'))) return [];
  const secrets = knownSecrets(config).map(({ value }) => value);
  return dockerBottleRuntime({ host: await hostId(home) }).weakObjects(secrets);
}

function standings(config: Config): Promise<AgentStanding[]> {
  return agentStandings(new ManifestDirectory(config.BOT_BOTTLE_HOME), needsWorld(config));
}

/** Nothing is tried: the system says it of a disk that is mounted read-only, too. */
function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function secretFiles(config: Config): [string, string][] {
  const files: [string, string | null][] = [
    ['forge-token', config.FORGE_TOKEN_FILE],
    ['webhook-secret', config.WEBHOOK_SECRET_FILE],
    ['notify-secret', config.NOTIFY_WEBHOOK_URL === null ? null : config.NOTIFY_WEBHOOK_SECRET_FILE],
    ['publish-token', config.FORGE_PUBLISH_TOKEN_FILE],
    ...codecKeyFiles(config).map(({ name, file }): [string, string] => [name, file]),
  ];
  return files.filter((one): one is [string, string] => one[1] !== null);
}

function stateOf(
  home: string,
  name: string,
  file: string,
): { state: 'set' } | { state: 'missing' | 'unusable'; reason: string } {
  const found = inspectSecret(file);
  if (found.kind === 'set') return { state: 'set' };
  return found.kind === 'unusable'
    ? { state: 'unusable', reason: found.reason }
    : { state: 'missing', reason: howToSet(home, name, file) };
}

async function ciOf(config: Config): ReturnType<DoctorProbes['ciFiles']> {
  const { api: baseUrl } = forgeOfConfig(config);
  const repos = namedRepositories(config);
  if (repos.length === 0) return null;
  const token = sidecarToken(config);
  const admin = new GiteaAdmin(new GiteaClient({ baseUrl, token, caFile: config.FORGE_CA_FILE }));
  return Promise.all(
    repos.map(async ({ owner, repo }) => ({
      repo: `${owner}/${repo}`,
      files: await admin.ciFiles({ kind: 'repo', owner, repo }),
    })),
  );
}

/** Both tokens; with repositories named one by one, their rights too. */
async function forge(config: Config): ReturnType<DoctorProbes['forge']> {
  const { login, problems } = await botRights(config, namedRepositories(config));
  const file = path.join(config.BOT_BOTTLE_HOME, 'rejections.db');
  const own = ownActs(login, latestRejections(file, REJECTIONS_LOOKED_AT), Date.now());
  return { url: forgeOfConfig(config).api, login, problems: [...problems, ...own] };
}

async function pinged(client: Client): Promise<{ version: string } | { problem: string }> {
  try {
    const { serverVersion } = await client.withDeadline(Date.now() + PING_MS, () =>
      client.workflowService.getSystemInfo({}),
    );
    return { version: serverVersion };
  } catch (error) {
    if (!isAway(error)) throw error;
    return { problem: reasonOf(error.details) };
  }
}
