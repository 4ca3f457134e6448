/**
 * What the sidecar of one bottle holds of the machine's memory: the resident set of its process, in its own container
 * as the product makes it, with a real forge behind it.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { dockerBottleRuntime, type DockerBottleRuntime } from '../../src/adapters/docker/docker-runtime.js';
import { containerName } from '../../src/adapters/docker/names-and-labels.js';
import { serveLoopback } from '../../src/adapters/loopback/serve-loopback.js';
import { makeSlug } from '../../src/domain/run/slug.js';
import { startGitea, type Gitea } from '../../test/support/gitea/start-gitea.js';
import { BUNDLE_CALLS, UPSTREAM_PORT } from './bundle-calls.js';
import { cleaningUp, inDirectory } from '../base/clean-up.js';
import { median, plainFigure, short, type Figure } from '../base/figure.js';
import { MIB, residentSet, type ResidentSet } from '../base/resident-set.js';
import { sidecarFiles } from './sidecar-files.js';
import { until, within } from '../base/until.js';

const execute = promisify(execFile);

const RPC_CALLS = 50;
const MCP_CALLS = 20;
const DOWNLOADS = 40;
/** After the downloads: the sidecar tidies up when nothing moves. */
const REST_MS = 2000;
const CALLS_MS = 60_000;
const [OWNER, REPO] = ['alice', 'demo'];
const BODY = 'Compare what `./greet.sh` says with what it ought to say.\n'.repeat(40);

const STATES = ['idle', 'afterRpc', 'afterMcp', 'afterEgress'] as const;
const NAMES = {
  idle: 'idle',
  afterRpc: `after ${String(RPC_CALLS)} calls of read_issue as JSON-RPC`,
  afterMcp: `after tools/list and ${String(MCP_CALLS)} calls over MCP`,
  afterEgress: `after ${String(DOWNLOADS)} downloads by the credential proxy`,
} as const;
type Sample = Readonly<Record<(typeof STATES)[number], ResidentSet>> & { readonly readyAfterMs: number };

export async function bundleMemory(rounds: number): Promise<Figure> {
  const gitea = await startGitea();
  return cleaningUp(
    () => gitea.stop(),
    async () => {
      const number = await gitea.alice.createIssue({ title: 'The greeting is wrong', body: BODY });
      const samples: Sample[] = [];
      for (let round = 0; round < rounds; round += 1) samples.push(await sampled(gitea, number));
      const most = samples.map((sample) => Math.max(...STATES.map((state) => sample[state].bytes)) / MIB);
      return plainFigure(most, {
        goal: 70,
        unit: 'MiB',
        better: 'less',
        notes: [
          ...STATES.map((state) => `${NAMES[state]}: ${parts(samples.map((sample) => sample[state]))}`),
          `serving ${short(median(samples.map(({ readyAfterMs }) => readyAfterMs)))} ms after its process began (median)`,
        ],
      });
    },
  );
}

/** `70.10 MiB, of them 44.20 of files, such as Node's own program; most until then 71.00`: medians. */
function parts(sets: readonly ResidentSet[]): string {
  const [all, files, peak] = (['bytes', 'fileBytes', 'peakBytes'] as const).map((part) =>
    (median(sets.map((set) => set[part])) / MIB).toFixed(1),
  );
  return `${String(all)} MiB, of them ${String(files)} of files, such as Node's own program; most until then ${String(peak)}`;
}

/** One sidecar from its start to its end. */
async function sampled(gitea: Gitea, issue: number): Promise<Sample> {
  const runtime = dockerBottleRuntime();
  const slug = makeSlug(
    'bench',
    { forge: 'gitea', owner: 'bench', repo: 'memory', number: issue },
    Math.random,
  );
  const removed = async (): Promise<void> => {
    await runtime.remove(slug, 'bundle');
    await runtime.removeVolumes(slug);
  };
  return inDirectory(async (home) => {
    const { hostname, port } = new URL(gitea.url);
    const socketDir = join(home, 'loopback');
    const loopback = await serveLoopback({ socketDir, target: { host: hostname, port: Number(port) } });
    return cleaningUp(
      () => loopback.close(),
      () => cleaningUp(removed, () => sampledIn(home, runtime, slug, gitea, issue)),
    );
  });
}

async function sampledIn(
  home: string,
  runtime: DockerBottleRuntime,
  slug: string,
  gitea: Gitea,
  issue: number,
): Promise<Sample> {
  const { files, spec } = await sidecarFiles({
    ...{ home, slug, forgeApi: `${gitea.url}/api/v1`, token: gitea.bot.sidecarToken },
    ...{ owner: OWNER, repo: REPO, issue },
  });
  await files.writeCurrentConfig(slug, {});
  await runtime.createBundle(spec);
  await runtime.start(slug, 'bundle');
  const readyAfterMs = await serving(slug);
  const pid = await pidOf(slug);
  const idle = await residentSet(pid);
  await call(slug, ['rpc', String(RPC_CALLS), String(issue)]);
  const afterRpc = await residentSet(pid);
  await call(slug, ['mcp', String(MCP_CALLS), String(issue)]);
  const afterMcp = await residentSet(pid);
  await files.writeCurrentConfig(slug, { 'routes.json': await routeToItself(slug) });
  await call(slug, ['egress', String(DOWNLOADS)]);
  await setTimeout(REST_MS);
  const afterEgress = await residentSet(pid);
  return { idle, afterRpc, afterMcp, afterEgress, readyAfterMs };
}

/** Waits until the sidecar says that it serves. Resolves with the milliseconds it says it took. */
async function serving(slug: string): Promise<number> {
  const container = new Docker().getContainer(containerName(slug, 'bundle'));
  return until('the sidecar to serve', async () => {
    const log = (await container.logs({ stdout: true, stderr: true })).toString('latin1');
    const [, ms] = /"readyAfterMs":(\d+)/.exec(log) ?? [];
    const { State: state } = await container.inspect();
    if (ms === undefined && !state.Running) throw new Error(`the sidecar ended:\n${log}`);
    return ms === undefined ? undefined : Number(ms);
  });
}

/** `routes.json` with a route to a program in the sidecar's own container: no other address is surely reached from there. */
async function routeToItself(slug: string): Promise<string> {
  const { NetworkSettings: settings } = await new Docker()
    .getContainer(containerName(slug, 'bundle'))
    .inspect();
  const [network] = Object.values(settings.Networks);
  if (network === undefined || network.IPAddress === '') throw new Error('the sidecar has no address');
  const upstream = `http://${network.IPAddress}:${String(UPSTREAM_PORT)}`;
  return JSON.stringify({ routes: [{ name: 'bench', upstream, methods: ['GET'], paths: ['/'] }] });
}

/** As the machine numbers it; Docker's init is the container's first process, the sidecar the second. */
async function pidOf(slug: string): Promise<number> {
  const { Titles: titles, Processes: processes } = (await new Docker()
    .getContainer(containerName(slug, 'bundle'))
    .top()) as { readonly Titles: string[]; readonly Processes: string[][] };
  const column = (name: string): number => titles.indexOf(name);
  const own = processes.filter((process) => /^node .*bundle\.mjs/.test(process[column('CMD')] ?? ''));
  const pid = Number(own[0]?.[column('PID')]);
  if (own.length !== 1 || !Number.isSafeInteger(pid))
    throw new Error(`not one sidecar process: ${JSON.stringify(processes)}`);
  return pid;
}

/** Calls from a process of its own beside the sidecar's: they cost the sidecar what an agent's do. */
async function call(slug: string, args: readonly string[]): Promise<void> {
  const command = ['exec', containerName(slug, 'bundle'), 'node', '-e', BUNDLE_CALLS, ...args];
  const { stdout } = await within('calls of the sidecar', CALLS_MS, execute('docker', command));
  if (stdout.trim() !== 'all answered') throw new Error(`the sidecar did not answer: ${stdout}`);
}
