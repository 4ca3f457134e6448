/**
 * The raw floor of a launch and of a resume: the run's two containers made and started with the engine's own calls, one
 * after the other, with the product's images, options and network. Nothing is looked at, adopted or waited for between
 * the calls. The agent's first instruction is that of a program of one line on the same runtime, which the image's
 * entrypoint executes; its workspace needs no git and no socket is waited for.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { agentProvider } from '../../src/adapters/agents/registry.js';
import { agentContainer } from '../../src/adapters/docker/agent-container.js';
import { bundleContainer } from '../../src/adapters/docker/bundle-container.js';
import { VOLUME_KINDS, volumeName } from '../../src/adapters/docker/names-and-labels.js';
import { ManifestDirectory } from '../../src/adapters/manifests/manifest-directory.js';
import { makeSlug } from '../../src/domain/run/slug.js';
import { sidecarFiles } from '../sidecar/sidecar-files.js';
import { within } from '../base/until.js';

const SUBJECT = { forge: 'gitea', owner: 'bench', repo: 'floor', number: 1 } as const;
const LABELS = { 'bot-bottle.bench': '1' };
const AGENT_MS = 30_000;
const COMMIT = '0'.repeat(40);
const FIRST_INSTRUCTION = 'require("fs").writeSync(1, `${Date.now()}\\n`)';

type Specs = readonly [bundle: Docker.ContainerCreateOptions, agent: Docker.ContainerCreateOptions];

export class RawBottle {
  private readonly containers: Docker.Container[] = [];

  private constructor(
    private readonly docker: Docker,
    private readonly slug: string,
    private readonly specs: Specs,
  ) {}

  /** Everything that is there before the clock starts: directories, token, the turn's input. */
  static async prepare(home: string, forgeApi: string): Promise<RawBottle> {
    const docker = new Docker();
    const slug = makeSlug('bench', SUBJECT, Math.random);
    const { owner, repo, number: issue } = SUBJECT;
    const token = 'f'.repeat(40);
    const { files, paths, spec } = await sidecarFiles({
      ...{ home, slug, forgeApi, token, owner, repo, issue },
    });
    await files.writeTurnInput(slug, {
      turn: 1,
      argv: ['/usr/local/bin/node', '-e', FIRST_INSTRUCTION],
      env: {},
      prompt: 'none',
      branch: 'bot-bottle/1-floor',
      start: COMMIT,
      gitUser: { name: 'bench', email: 'bench@example.invalid' },
      wantsSidecar: false,
      wantsEgress: false,
      resetTo: null,
      shallow: [],
      submodules: [],
      sparse: [],
      home: {},
      setup: null,
      files: {},
      turnJson: {},
    });
    await mkdir(join(paths.workspace, '.git'));
    await writeFile(join(paths.workspace, '.git', 'bottle-ready'), `${COMMIT}\n`);
    await mkdir(spec.loopbackDir ?? '', { recursive: true });
    const bottle = await new ManifestDirectory(home).bottle(['default']);
    if (bottle === undefined) throw new Error('there is no bottle "default"');
    const { NCPU } = (await docker.info()) as { readonly NCPU: number };
    const bundle = bundleContainer(spec, NCPU);
    const agent = agentContainer(
      {
        slug,
        image: bottle.image ?? agentProvider('scripted').image,
        workspaceDir: paths.workspace,
        turnDir: paths.turnInput,
        configDir: paths.currentConfig,
        limits: bottle.limits,
        env: bottle.env,
      },
      NCPU,
    );
    return new RawBottle(docker, slug, [bundle, agent]);
  }

  /** Creates and starts both. Resolves with the epoch milliseconds of the agent's first instruction. */
  async launch(): Promise<number> {
    const [bundle, agent] = this.specs;
    for (const [spec, role] of [
      [bundle, 'bundle'],
      [agent, 'agent'],
    ] as const) {
      const container = await this.docker.createContainer({
        ...spec,
        name: `bb-${this.slug}-${role}`,
        Labels: LABELS,
      });
      this.containers.push(container);
      await container.start();
    }
    return this.firstInstruction();
  }

  /** Starts both again; they were stopped before. */
  async restart(): Promise<number> {
    for (const container of this.containers) await container.start();
    return this.firstInstruction();
  }

  /** The bundle stops as it does at a freeze; the agent's program has ended. */
  async stop(): Promise<void> {
    const [bundle] = this.containers;
    await bundle?.stop({ t: 3 });
  }

  async remove(): Promise<void> {
    for (const container of this.containers) await container.remove({ force: true, v: true });
    for (const kind of VOLUME_KINDS) {
      await this.docker
        .getVolume(volumeName(this.slug, kind))
        .remove()
        .catch((error: unknown) => {
          if (!(error instanceof Error && 'statusCode' in error && error.statusCode === 404)) throw error;
        });
    }
  }

  private async firstInstruction(): Promise<number> {
    const agent = this.containers[1];
    if (agent === undefined) throw new Error('the floor has no agent');
    const { StatusCode: code } = (await within(
      'the floor’s agent',
      AGENT_MS,
      agent.wait() as Promise<unknown>,
    )) as { readonly StatusCode: number };
    const output = (await agent.logs({ stdout: true, stderr: true })).toString('latin1');
    const at = Number(/(\d{13})\D*$/.exec(output)?.[1]);
    if (code !== 0 || !Number.isFinite(at))
      throw new Error(`the floor's agent failed (${String(code)}): ${output}`);
    return at;
  }
}
