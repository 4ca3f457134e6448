/** The command line's world. Each part is loaded by the command that needs it, and by no other. */
import type { CliDeps, ServiceRole } from '../../cli/base/deps.js';
import { EXIT } from '../../cli/base/exit-codes.js';
import type { Config, LoadedConfig } from '../../config/load-config.js';
import { cliIo, interrupted } from './cli-io.js';
import { VERSION } from '../version.js';
import type { Service } from '../services/run-service.js';

const SERVICES: Readonly<Record<ServiceRole, Service>> = {
  up: async (config, say) => (await import('../services/serve-up.js')).serveUp(config, say),
  worker: async (config) => (await import('../services/serve-worker.js')).serveWorker(config),
  webhook: async (config) => (await import('../services/serve-webhook.js')).serveWebhook(config),
  api: async (config) => (await import('../services/serve-api.js')).serveApi(config),
  'codec-server': async (config, say) =>
    (await import('../services/serve-codec.js')).serveCodecServer(config, say),
};

async function loaded(): Promise<LoadedConfig> {
  return (await import('../../config/load-config.js')).loadConfig(process.env);
}

async function config(): Promise<Config> {
  return (await loaded()).config;
}

async function home(): Promise<string> {
  return (await import('../../config/home.js')).homePath(process.env);
}

export const cliDeps: CliDeps = {
  version: VERSION,
  io: cliIo,
  interrupted,
  config: loaded,
  serve: async (role) => {
    await (await import('../services/run-service.js')).runService(SERVICES[role]);
    return EXIT.ok;
  },
  orchestrator: async (options) =>
    (await import('../operator/open-orchestrator.js')).openOrchestrator(await config(), options),
  proposals: async () => (await import('../operator/open-proposals.js')).openProposals(await home()),
  provenance: async () => (await import('../operator/open-provenance.js')).openProvenance(await home()),
  sync: async () => (await import('../operator/open-sync.js')).openSync(await config(), process.env),
  temporalSetup: async () => (await import('./temporal-setup.js')).temporalSetup(await config()),
  notifyTest: async () => (await import('../notify-hooks.js')).testHooks(await config(), interrupted()),
  doctorChecks: async () => {
    const { doctorProbes } = await import('../doctor-probes.js');
    const { doctorChecks } = await import('../../cli/doctor/checks.js');
    return doctorChecks(doctorProbes(process.env));
  },
  janitor: async () => (await import('../worker/janitor.js')).janitor(await config()),
  forgeSetup: async () => (await import('../forge-setup.js')).forgeSetup(await config()),
  setSecret: async (name, content, hosts) =>
    (await import('./set-secret.js')).setSecret(await home(), name, content, hosts),
  apiTokens: async () => (await import('../operator/open-api-tokens.js')).openApiTokens(await home()),
  edit: async (name, text) => (await import('./edit-text.js')).editText(process.env, name, text),
  dashboard: async (desk, colors) => (await import('./open-dashboard.js')).openDashboard(desk, colors),
  manifests: async () => (await import('./open-manifests.js')).openManifests(await config()),
  bottleEditor: async () => (await import('./open-manifests.js')).openBottleEditor(await config()),
  logs: async () => (await import('../run-logs.js')).runLogs(await home()),
  forgePages: async () => (await import('../forge-of-config.js')).forgePages(await config()),
};
