import { noModelKey } from '../../domain/agent/agent-needs.js';
import { isOffered, isWrong, whyNotOffered } from '../../domain/agent/agent-standing.js';
import { imageCommand } from '../../domain/bottle/bottle-image.js';
import { formatBytes } from '../../domain/base/format-bytes.js';
import { messageOf } from '../../domain/base/message-of.js';
import { remedyOfOpenHome } from '../../domain/base/open-home.js';
import { pauseText, unpauseCommand } from '../../domain/run/pause.js';
import { CI_REMEDY } from './ci-remedy.js';
import { fail, ok, warn } from './check.js';
import type { Check, Finding } from './check.js';
import type { DoctorProbes } from './probes.js';
import { notificationsFinding } from './notifications.js';
import { stuckWorkFinding } from './stuck-work.js';
import { atLeast } from './version.js';

const NODE_WANTED = [20, 12];
/** `repack --geometric` keeps the mirrors small, and `GIT_CONFIG_GLOBAL` keeps the user's settings out. */
const GIT_WANTED = [2, 32];
const GITLEAKS_WANTED = [8, 25];
/** Engine 20.10: the oldest one the containers' options were tried on. */
const API_WANTED = [1, 41];
const DISK_COMFORT = 10 * 1024 ** 3;
const FREE_INODES = 0.05;
const DAY_MS = 24 * 60 * 60_000;

/** Every check over injected probes, in the order an operator would mend things. */
export function doctorChecks(probes: DoctorProbes): readonly Check[] {
  const checks = [
    check('node', () => version(`Node ${probes.nodeVersion()}`, NODE_WANTED, 'install Node 20.12 or newer')),
    check('home', () => home(probes)),
    check('config', () => config(probes)),
    check('secrets', () => secrets(probes)),
    check('signing key', () => signingKey(probes)),
    check('models', () => models(probes)),
    check('git', async () =>
      version((await probes.gitVersion()).trim(), GIT_WANTED, 'install git 2.32 or newer'),
    ),
    check('engine', () => engine(probes)),
    check('runtime', () => runtime(probes)),
    check('bottles', () => bottles(probes)),
    check('images', () => images(probes)),
    check('temporal', () => temporal(probes)),
    check('stuck work', () => stuckWork(probes, Date.now())),
    check('forge', () => forge(probes)),
    check('secret scan', () => secretScan(probes)),
    check('ci', () => ci(probes)),
    check('disk', () => disk(probes)),
    check('notifications', async () => notificationsFinding(await probes.notifications())),
    check('pause', () => pause(probes)),
    check('up', () => up(probes, Date.now())),
  ];
  return checks.map((one) => (one.name === 'config' ? one : withoutRepeating(probes, one)));
}

function check(name: string, run: () => Finding | Promise<Finding>): Check {
  // async: a probe that throws at once fails its check like one that rejects.
  return { name, run: async () => run() };
}

/** What is wrong with the configuration stands in its own row, and no other check that needs it says it again. */
function withoutRepeating(probes: DoctorProbes, one: Check): Check {
  return check(one.name, async () => {
    try {
      return await one.run();
    } catch (error) {
      if (messageOf(error) !== configProblem(probes)) throw error;
      return { state: 'fail', found: 'not looked at: the configuration is wrong' };
    }
  });
}

function configProblem(probes: DoctorProbes): string | null {
  try {
    probes.configWarnings();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function version(text: string, wanted: readonly number[], remedy: string): Finding {
  return atLeast(text, wanted) === true ? ok(text) : fail(text, remedy);
}

function home(probes: DoctorProbes): Finding {
  const { path, exists, mode, writable } = probes.home();
  if (!exists)
    return warn(
      `${path} is not there yet`,
      'it is made when it is first needed: bot-bottle secret set forge-token < file',
    );
  const shown = `${path}, mode ${(mode & 0o777).toString(8)}`;
  if (!writable)
    return fail(
      `${shown}, can't be written`,
      'use the account that it belongs to; if its disk was mounted read-only, mend and remount that',
    );
  if ((mode & 0o022) !== 0) return fail(shown, `others can write it: ${remedyOfOpenHome(path, mode)}`);
  if ((mode & 0o055) !== 0) return warn(shown, `others can look into it: chmod 700 ${path}`);
  return ok(shown);
}

function config(probes: DoctorProbes): Finding {
  const warnings = probes.configWarnings();
  return warnings.length === 0 ? ok('valid') : warn('valid, with warnings', warnings.join('; '));
}

function secrets(probes: DoctorProbes): Finding {
  const bad = probes.secrets().filter(({ state }) => state !== 'set');
  const names = probes.secrets().map(({ name }) => name);
  if (bad.length === 0) return ok(names.join(', '));
  const remedies = bad.map(({ name, reason }) => reason ?? `bot-bottle secret set ${name} < file`);
  return fail(bad.map(({ name, state }) => `${name} ${state}`).join(', '), remedies.join('; '));
}

/** Without it no run comes to rest: what can be wrong with it, its probe throws. */
function signingKey(probes: DoctorProbes): Finding {
  const id = probes.signingKey();
  return ok(id ?? 'made at the first signature');
}

/** Nobody needs every provider's key; what was set up, and what is the operator's own, has to work. */
async function models(probes: DoctorProbes): Promise<Finding> {
  const agents = await probes.agents();
  const wrong = agents.filter(isWrong);
  const offered = agents.filter(isOffered);
  const unset = agents.filter((agent) => !isOffered(agent) && !agent.isStandIn && !isWrong(agent));
  if (wrong.length > 0) {
    const remedies = new Set(wrong.map((agent) => whyNotOffered(agent) ?? ''));
    return fail(`cannot run: ${wrong.map(({ name }) => name).join(', ')}`, [...remedies].join('; '));
  }
  if (offered.length === 0)
    return fail('no agent can run', noModelKey(unset.flatMap(({ providers }) => providers)));
  const found = offered.map(({ name, verdict }) =>
    verdict.kind === 'ready' && verdict.provider !== name ? `${name} (${verdict.provider})` : name,
  );
  const rest = unset.map(({ name }) => name).join(', ');
  return ok(`can run: ${found.join(', ')}${rest === '' ? '' : `; without a key: ${rest}`}`);
}

async function engine(probes: DoctorProbes): Promise<Finding> {
  const { version: engineVersion, apiVersion, storageDriver, storageQuota } = await probes.engine();
  const found = `Docker ${engineVersion}, API ${apiVersion}, ${storageDriver}`;
  if (atLeast(apiVersion, API_WANTED) !== true) return fail(found, 'install Docker Engine 20.10 or newer');
  return ok(`${found}, ${storageQuota ? 'file system with quotas' : 'no disk quotas'}`);
}

async function runtime(probes: DoctorProbes): Promise<Finding> {
  const wanted = probes.containerRuntime();
  if (wanted === null) return ok("the engine's own");
  const { runtimes } = await probes.engine();
  if (wanted.startsWith('io.containerd.') || runtimes.includes(wanted)) return ok(wanted);
  return fail(
    `${wanted} is not among the engine's: ${runtimes.join(', ')}`,
    'add it to "runtimes" in /etc/docker/daemon.json and restart the engine, or change BOTTLE_RUNTIME',
  );
}

async function bottles(probes: DoctorProbes): Promise<Finding> {
  const weak = await probes.weakBottles();
  if (weak.length === 0) return ok('as they are made, as far as there are any');
  return fail(
    weak.map(({ name, weaknesses }) => `${name} ${weaknesses.join(', ')}`).join('; '),
    'somebody changed them, or another version made them: destroy their runs, or remove them with docker rm -f or docker volume rm; the next turn makes new ones',
  );
}

async function images(probes: DoctorProbes): Promise<Finding> {
  const { bundle, agents } = await probes.images();
  const there = agents.filter(({ id }) => id !== null);
  const missing = [bundle, ...agents].filter(({ id }) => id === null).map(({ name }) => name);
  const found = [bundle, ...there].map(({ name }) => name).join(', ');
  if (missing.length === 0) return ok(found);
  const isNeeded = bundle.id === null || agents.some(({ id, needed }) => needed && id === null);
  const commands = [...new Set(missing.map(imageCommand))].join('; ');
  if (isNeeded || there.length === 0) return fail(`missing: ${missing.join(', ')}`, commands);
  // Nobody needs every CLI.
  return warn(`${found}; not built: ${missing.join(', ')}`, `to use these agents: ${commands}`);
}

async function temporal(probes: DoctorProbes): Promise<Finding> {
  const answer = await probes.temporal();
  if ('problem' in answer)
    return fail(
      `none answers at ${answer.address} (${answer.problem})`,
      'bot-bottle up starts one; for another server, set TEMPORAL_ADDRESS',
    );
  const { address, version: serverVersion, missingSearchAttributes } = answer;
  const found = `Temporal ${serverVersion} at ${address}`;
  if (missingSearchAttributes.length === 0) return ok(found);
  return fail(`${found}, without ${missingSearchAttributes.join(', ')}`, 'bot-bottle temporal setup');
}

async function stuckWork(probes: DoctorProbes, now: number): Promise<Finding> {
  const work = await probes.stuckWork();
  return work === null ? { state: 'fail', found: 'Temporal does not answer' } : stuckWorkFinding(work, now);
}

async function forge(probes: DoctorProbes): Promise<Finding> {
  const { url, login, problems } = await probes.forge();
  const found = `${url} as ${login}`;
  if (problems.length === 0) return ok(found);
  const remedy = problems.map(({ message }) => message).join('; ');
  return problems.some(({ severity }) => severity === 'error') ? fail(found, remedy) : warn(found, remedy);
}

async function secretScan(probes: DoctorProbes): Promise<Finding> {
  const scanner = await probes.secretScanner();
  if (scanner === null)
    return warn(
      'off',
      'agents can push keys and passwords that they find: set FORGE_SECRET_SCAN to gitleaks',
    );
  if (atLeast(scanner, GITLEAKS_WANTED) === true) return ok(scanner);
  return warn(scanner, 'it works, but is not known to be 8.25 or newer: script/bootstrap --only gitleaks');
}

async function ci(probes: DoctorProbes): Promise<Finding> {
  const isFork = probes.publishPlace() === 'fork';
  const repos = await probes.ciFiles();
  if (repos === null) {
    const found = 'not looked for: FORGE_REPOS names no repository by itself';
    return isFork
      ? ok(`${found}; runs push to the bot’s forks`)
      : warn(found, `where there is CI, ${CI_REMEDY}`);
  }
  const running = repos.filter(({ files }) => files.length > 0);
  if (running.length === 0) return ok('none found');
  const found = running.map(({ repo, files }) => `${repo}: ${files.join(', ')}`).join('; ');
  return isFork ? ok(`${found}; runs push to the bot’s forks`) : warn(found, CI_REMEDY);
}

async function pause(probes: DoctorProbes): Promise<Finding> {
  const pauses = await probes.pauses();
  if (pauses.length === 0) return ok('new turns start');
  const lift = pauses.map(({ scope }) => unpauseCommand(scope)).join('; ');
  return warn(pauses.map(pauseText).join('; '), lift);
}

/** Which parts of `up` ended by themselves in the last day, and why. */
async function up(probes: DoctorProbes, now: number): Promise<Finding> {
  const ends = (await probes.partEnds()).filter(({ at }) => now - at < DAY_MS);
  const last = ends.at(-1);
  if (last === undefined) return ok('no part of it ended by itself in the last day');
  const found = [...new Set(ends.map(({ part }) => part))].map((part) => {
    const own = ends.filter((end) => end.part === part);
    const latest = own.at(-1);
    const times = own.length === 1 ? 'once' : `${String(own.length)} times`;
    return `${part} ended by itself ${times}, last at ${new Date(latest?.at ?? 0).toISOString()}: ${latest?.reason ?? ''}`;
  });
  const remedy = 'what led to it stands in the log of up, before the line that says so';
  return last.again
    ? warn(found.join('; '), remedy)
    : warn(`${found.join('; ')}; up ended with it`, `${remedy}; when that is mended: bot-bottle up`);
}

/** How a run's disk is guarded, and whether there is room. */
async function disk(probes: DoctorProbes): Promise<Finding> {
  const { space, floorBytes, quota } = await probes.disk();
  const rooms = space.fileSystems.map(
    ({ path, freeBytes, inodes, freeInodes }) =>
      `${formatBytes(freeBytes)} free${inodes === 0 ? '' : `, ${String(Math.floor((100 * freeInodes) / inodes))} % of inodes`} at ${path}`,
  );
  const found = `${rooms.join('; ')}; polled, ${formatBytes(quota.bytes)} and ${String(quota.inodes)} files a run`;
  const least = Math.min(...space.fileSystems.map(({ freeBytes }) => freeBytes));
  const fewInodes = space.fileSystems.some(({ inodes, freeInodes }) => freeInodes < inodes * FREE_INODES);
  if (least < floorBytes || fewInodes)
    return fail(found, 'make room: below BOTTLE_DISK_FREE, or a twentieth of the inodes, turns are stopped');
  if (!space.complete)
    return warn(
      found,
      "the engine's data cannot be looked at from here: runs are measured every minute, and no floor is kept there",
    );
  return least < floorBytes + quota.bytes || least < DISK_COMFORT
    ? warn(found, 'more than BOTTLE_DISK_FREE and the BOTTLE_DISK of one run is comfortable')
    : ok(found);
}
