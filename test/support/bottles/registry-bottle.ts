import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { currentConfig } from '../../../src/activities/setup/current-config.js';
import {
  dockerBottleRuntime,
  type DockerBottleRuntime,
} from '../../../src/adapters/docker/docker-runtime.js';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import { LocalRunFiles } from '../../../src/adapters/files/run/run-files.js';
import { WHOLE_REPOSITORY } from '../../../src/domain/bottle/bottle-setup.js';
import type { RegistryKind } from '../../../src/domain/egress/route.js';
import type { RunPaths } from '../../../src/domain/run/run-files.js';
import { registryAccess, type RegistryLocations } from '../../../src/domain/bottle/registries.js';
import { exampleDockerfile, exampleImage } from './example-image.js';
import { positionAt } from '../../../src/domain/bottle/bottle-runtime.js';

const BUNDLE_IMAGE = process.env['BOT_BOTTLE_TEST_BUNDLE_IMAGE'] ?? 'bot-bottle/bundle:dev';
/** Where this machine's own authorities are, if something between here and the registries has one. */
const CA_FILE = '/etc/ssl/certs/ca-certificates.crt';
/** What a checkout leaves: there is no repository here. */
const READY = 'mkdir /workspace/.git && : >/workspace/.git/bottle-ready';
const NONE: RegistryLocations = { npm: null, pypi: null, go: null, cargo: null, maven: null };
const MIB = 1024 * 1024;
/** Prints a package manager's own registry as the setting wants it, in its bottle; no file of ours names one. */
const ASK: Readonly<Record<RegistryKind, string>> = {
  npm: 'npm config get registry',
  pypi: `python3 -c "from pip._internal.models.index import PyPI as p; print(p.simple_url + ',https://' + p.file_storage_domain)"`,
  go: 'go env GOPROXY | cut -d, -f1',
  cargo: `grep -ao 'sparse+https://[a-z.]*/' "$(readlink -f "$(command -v cargo)")" | head -1 | cut -d+ -f2`,
  maven:
    'cd /tmp && jar xf /usr/share/maven/lib/maven-model-builder-3.x.jar org/apache/maven/model/pom-4.0.0.xml && ' +
    'sed -n "s:.*<url>\\(.*\\)</url>.*:\\1:p" org/apache/maven/model/pom-4.0.0.xml | head -1',
};

export interface BottleEnd {
  readonly exitCode: number;
  readonly output: string;
}

/** One example bottle with its image, its sidecar and its agent, as the worker makes them, without a forge. */
export class RegistryBottle {
  readonly slug = `btl-alice-demo-1-${randomBytes(4).toString('hex')}`;
  readonly runtime: DockerBottleRuntime;
  readonly #docker = new Docker();

  constructor(
    /** Of the example, as in `manifests/bottles`. */
    readonly name: string,
    readonly kind: RegistryKind,
  ) {
    this.runtime = dockerBottleRuntime({ docker: this.#docker });
  }

  /** @returns the image's id */
  build(): Promise<string> {
    const { name, slug, runtime } = this;
    return exampleImage(this.#docker, runtime, { name, slug, dockerfile: exampleDockerfile(name) });
  }

  /** From the setting's variable, else as the tool in the bottle says. */
  async addresses(image: string): Promise<readonly string[]> {
    const set = process.env[`REGISTRY_${this.kind.toUpperCase()}`];
    if (set !== undefined) return set.split(',');
    const { stdout, stderr } = await this.runtime.runOnce({
      ...{ name: 'ask', slug: this.slug, image, argv: ['/bin/bash', '-c', ASK[this.kind]], user: 'agent' },
      ...{ mounts: [], env: { GOCACHE: '/tmp' }, timeoutMs: 60_000, maxOutputBytes: 4096 },
    });
    const addresses = Buffer.from(stdout).toString().trim().split(',');
    const urls = addresses.map((address) => address.replace(/\/+$/, ''));
    if (!urls.every((url) => URL.canParse(url))) throw new Error(`no registry: ${stderr}`);
    return this.kind === 'cargo' ? [...urls, await downloadsOf(urls[0] ?? '')] : urls;
  }

  /** Runs a script as the agent would, with the bottle's one registry and no other way out. */
  async run(image: string, addresses: readonly string[], script: string): Promise<BottleEnd> {
    const { runtime, slug } = this;
    const home = await mkdtemp(join(tmpdir(), 'bb-bottle-'));
    const files = new LocalRunFiles({
      home,
      forgeToken: () => Promise.resolve('no-token'),
      secret: () => Promise.reject(new Error('no secret is asked for')),
    });
    try {
      const paths = await files.prepare(slug);
      const { routes, clients } = registryAccess([this.kind], { ...NONE, [this.kind]: addresses });
      const setup = {
        ...{ dockerfile: null, allow: [], routes, registries: [this.kind], setup: null, runtime: null },
        workspace: WHOLE_REPOSITORY,
      };
      await files.placeSecrets(slug, []);
      await files.writeCurrentConfig(slug, currentConfig(setup, null));
      const queue = new LocalQueueDirectory({ home });
      await queue.writeTurnHeader(slug, {
        ...{ turn: 1, prNumber: null, owner: 'alice', repo: 'demo' },
        uploadBytes: MIB,
      });
      await files.writeTurnInput(slug, {
        ...{ turn: 1, argv: ['/bin/bash', '-ec', script], env: clients.env, prompt: '', branch: 'b' },
        ...{ start: '0'.repeat(40), gitUser: { name: 'a', email: 'a@example.test' }, wantsSidecar: false },
        ...{
          wantsEgress: true,
          resetTo: null,
          shallow: [],
          sparse: [],
          submodules: [],
          setup: null,
          files: {},
          turnJson: {},
        },
        home: clients.files,
      });
      await runtime.runOnce({
        ...{ name: 'ready', slug, image, argv: ['/bin/sh', '-c', READY], user: 'agent', env: {} },
        mounts: [{ source: paths.workspace, target: '/workspace', readOnly: false }],
        ...{ timeoutMs: 60_000, maxOutputBytes: 4096 },
      });
      await runtime.createBundle({
        slug,
        image: BUNDLE_IMAGE,
        queueOutDir: paths.queueOut,
        queueInDir: paths.queueIn,
        tokenFile: paths.bundleToken,
        secretsDir: paths.bundleSecrets,
        configDir: paths.currentConfig,
        caFile: existsSync(CA_FILE) ? CA_FILE : null,
        loopbackDir: null,
        network: 'bridge',
        env: {
          BOTTLE_SLUG: slug,
          FORGE_KIND: 'gitea',
          FORGE_GITEA_API: 'http://127.0.0.1:1/api/v1',
          FORGE_OWNER: 'alice',
          FORGE_REPO: 'demo',
          FORGE_ISSUE_NUMBER: '1',
          FORGE_PR_NUMBER: '',
        },
      });
      await runtime.createAgent({
        slug,
        image,
        workspaceDir: paths.workspace,
        turnDir: paths.turnInput,
        configDir: paths.currentConfig,
        limits: { memoryBytes: 2048 * MIB, cpus: 2, pids: 512 },
        env: {},
      });
      await runtime.start(slug, 'bundle');
      await runtime.start(slug, 'agent');
      return await this.#follow();
    } finally {
      await this.#remove(image, files.paths(slug));
      await rm(home, { recursive: true, force: true });
    }
  }

  async #follow(): Promise<BottleEnd> {
    const { runtime, slug } = this;
    const lines: string[] = [];
    const signal = AbortSignal.timeout(10 * 60_000);
    await runtime.followLogs(slug, 'agent', positionAt(null), signal, ({ text }) => lines.push(text));
    const exitCode = await runtime.waitForExit(slug, 'agent', signal);
    if (exitCode !== 0)
      await runtime
        .followLogs(slug, 'bundle', positionAt(null), AbortSignal.timeout(2_000), ({ text }) =>
          lines.push(`bundle: ${text}`),
        )
        .catch(() => undefined);
    return { exitCode, output: lines.join('\n') };
  }

  async #remove(image: string, { workspace, queueOut }: RunPaths): Promise<void> {
    const { runtime, slug } = this;
    for (const role of ['agent', 'bundle'] as const) await runtime.remove(slug, role);
    // What the containers wrote is theirs; this user need not be root.
    await runtime.runOnce({
      ...{ name: 'remove', slug, image, user: 'remover', env: {}, timeoutMs: 60_000, maxOutputBytes: 4096 },
      argv: ['/usr/bin/find', '/workspace', '/queue', '-mindepth', '1', '-delete'],
      mounts: [
        { source: workspace, target: '/workspace', readOnly: false },
        { source: queueOut, target: '/queue', readOnly: false },
      ],
    });
    await runtime.removeVolumes(slug);
  }
}

/** `dl` of a sparse index: a host of its own, as the documents tell the operator to look it up. */
async function downloadsOf(index: string): Promise<string> {
  const response = await fetch(`${index}/config.json`);
  const { dl } = (await response.json()) as { readonly dl: string };
  return new URL(dl).origin;
}
