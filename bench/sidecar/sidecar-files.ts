import { join } from 'node:path';
import { LocalQueueDirectory } from '../../src/adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../src/adapters/files/run/run-files.js';
import { SETTINGS } from '../../src/config/settings.js';
import type { BundleContainerSpec } from '../../src/domain/bottle/bottle-runtime.js';

/** Whose sidecar it is. */
export interface SidecarOf {
  readonly home: string;
  readonly slug: string;
  readonly forgeApi: string;
  readonly token: string;
  readonly owner: string;
  readonly repo: string;
  readonly issue: number;
}

/** The files of a run's sidecar for its first turn, and its container as the product makes it, by the settings' defaults. */
export async function sidecarFiles({ home, slug, forgeApi, token, owner, repo, issue }: SidecarOf): Promise<{
  readonly files: LocalRunFiles;
  readonly paths: Awaited<ReturnType<LocalRunFiles['prepare']>>;
  readonly spec: BundleContainerSpec;
}> {
  const files = new LocalRunFiles({
    home,
    forgeToken: () => Promise.resolve(token),
    secret: (name) => Promise.reject(new Error(`no secret ${name}`)),
  });
  const paths = await files.prepare(slug);
  await files.placeSecrets(slug, []);
  await new LocalQueueDirectory({ home }).writeTurnHeader(slug, { turn: 1, prNumber: null, owner, repo });
  const spec = {
    slug,
    image: SETTINGS.BUNDLE_IMAGE.fallback,
    queueOutDir: paths.queueOut,
    queueInDir: paths.queueIn,
    tokenFile: paths.bundleToken,
    secretsDir: paths.bundleSecrets,
    configDir: paths.currentConfig,
    caFile: null,
    loopbackDir: join(home, 'loopback'),
    network: SETTINGS.BUNDLE_NETWORK.fallback,
    env: {
      BOTTLE_SLUG: slug,
      FORGE_GITEA_API: forgeApi,
      FORGE_OWNER: owner,
      FORGE_REPO: repo,
      FORGE_ISSUE_NUMBER: String(issue),
      FORGE_PR_NUMBER: '',
      FORGE_SOCKET: '/run/bottle/loopback/forge.sock',
    },
  };
  return { files, paths, spec };
}
