import { isLocal } from '../../../domain/forge/issue.js';
import type { RunPaths } from '../../../domain/run/run-files.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { secretNeeds } from '../../setup/current-config.js';
import type { TurnSetup } from '../../setup/read-setup.js';
import { writeHeader } from './write-header.js';

/** Adopted, or new; what it reads at its start is in place before, but for the configuration, which names the run's image. */
export async function createBundle(
  ports: HostPorts,
  input: RunTurnInput,
  setup: TurnSetup,
  paths: RunPaths,
): Promise<void> {
  const { runtime, settings, files } = ports;
  const { slug } = input;
  const isOnForge = !isLocal(input.subject);
  await Promise.all([
    files.placeSecrets(slug, secretNeeds(setup), { forgeToken: isOnForge }),
    writeHeader(ports, input, setup),
  ]);
  await runtime.createBundle({
    slug,
    image: settings.bundleImage,
    queueOutDir: paths.queueOut,
    queueInDir: paths.queueIn,
    tokenFile: isOnForge ? paths.bundleToken : null,
    secretsDir: paths.bundleSecrets,
    configDir: paths.currentConfig,
    caFile: settings.caFile,
    loopbackDir: isOnForge ? settings.loopbackDir : null,
    network: settings.bundleNetwork,
    env: bundleEnv(ports, input),
  });
}

/** Configuration of the sidecar; the token is a file, and what changes with the turn is in the queue's header. */
export function bundleEnv(ports: HostPorts, input: RunTurnInput): Record<string, string> {
  const { subject, slug, prNumber } = input;
  const { forgeApi } = ports.settings;
  const common = {
    BOTTLE_SLUG: slug,
    BUNDLE_CALLS_PER_MINUTE: String(ports.settings.bundleCallsPerMinute),
    BUNDLE_WRITES_PER_MINUTE: String(ports.settings.bundleWritesPerMinute),
  };
  if (isLocal(subject)) return { ...common, FORGE_KIND: 'none' };
  return {
    ...common,
    FORGE_KIND: subject.forge,
    FORGE_GITEA_API: forgeApi,
    FORGE_OWNER: subject.owner,
    FORGE_REPO: subject.repo,
    FORGE_ISSUE_NUMBER: String(subject.number),
    FORGE_PR_NUMBER: prNumber === null ? '' : String(prNumber),
    ...(ports.settings.loopbackDir === null ? {} : { FORGE_SOCKET: '/run/bottle/loopback/forge.sock' }),
  };
}
