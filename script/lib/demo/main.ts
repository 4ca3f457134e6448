/** `script/demo` after set-up: starts the servers, tells the story, ends everything, and says how it went. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import {
  dockerBottleRuntime,
  type DockerBottleRuntime,
} from '../../../src/adapters/docker/docker-runtime.js';
import { escapeTerminal, escapeTerminalLines } from '../../../src/domain/text/escape.js';
import { takeRealAgent, type RealAgent } from './agent-choice.js';
import { CliTurns } from './cli-turns.js';
import { removeBottles } from './end-runs.js';
import { Feed, seconds } from './feed.js';
import { isClean, leftoversOf, stillThere, type Leftovers } from './leftovers.js';
import type { Facts } from './messages.js';
import { jsonOf, printAddresses, printSpending, printSteps, printTimeline } from './report.js';
import { ScriptedTurns } from './scripted-turns.js';
import { Servers } from './servers.js';
import { Steps } from './steps.js';
import { nothingTold, Stage } from './stage.js';
import { Story } from './story.js';
import { Interrupted, type WaitOptions } from './wait.js';

const LOG_LINES = 40;
const EXIT = { ok: 0, failed: 1, interrupted: 130 } as const;
const NONE: Leftovers = { containers: [], volumes: [], processes: [] };

const options = { keep: process.argv.includes('--keep'), json: process.argv.includes('--json') };
const chosen = process.argv.includes('--provider')
  ? process.argv[process.argv.indexOf('--provider') + 1]
  : undefined;
const real = chosen === undefined ? null : takeRealAgent(chosen, process.env);
const providerName = real?.provider.name ?? 'scripted';
// Set-up counts too: the wrapper says when it began.
const startedAt = Number(process.env['BOT_BOTTLE_DEMO_STARTED_MS'] ?? Date.now());
const records = process.env['BOT_BOTTLE_DEMO_RECORDS'] ?? join(homedir(), '.cache', 'bot-bottle', 'demos');

const feed = new Feed({ out: options.json ? process.stderr : process.stdout, env: process.env, startedAt });
const steps = new Steps(feed, startedAt);
const told = nothingTold();
const interruption = new AbortController();
const wait: WaitOptions = { signal: interruption.signal };
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    interruption.abort(new Interrupted('interrupted'));
  });

process.exitCode = await main();

async function main(): Promise<number> {
  const logs = mkdtempSync(join(tmpdir(), 'bot-bottle-demo-'));
  const runtime = dockerBottleRuntime();
  feed.heading('bot-bottle: one issue, from its label to its merge, on real parts');
  printAgent(real);
  feed.line();
  steps.done('set_up', Date.now(), 'set-up', 'tools, modules, engine and images are there');
  const servers = Servers.start(logs, records, real?.setup ?? null);
  const world: World = { logs, runtime, servers, facts: undefined };
  let error: unknown;
  let kept = false;
  try {
    await act(world);
    if (options.keep) {
      await servers.keep(wait);
      kept = true;
    }
  } catch (caught) {
    error = caught;
    printFailure(caught, logs);
  }
  const { leftovers, traces } = kept ? { leftovers: NONE, traces: [] } : await cleanUp(world);
  const clean = isClean(leftovers) && traces.length === 0;
  const ok = error === undefined && clean;
  const interrupted = error instanceof Interrupted;
  printEnd({ ok, kept, interrupted, facts: world.facts, leftovers, traces, logs });
  if (!kept && clean && (ok || interrupted)) rmSync(logs, { recursive: true, force: true });
  feed.close();
  const message = error === undefined ? (ok ? null : 'something was left behind') : textOf(error);
  const { facts } = world;
  const addresses =
    kept && facts !== undefined
      ? { gitea: facts.giteaUrl, temporal_ui: facts.temporalUi, temporal: facts.temporalAddress }
      : null;
  const outcome = {
    ok,
    provider: providerName,
    steps: steps.all,
    told,
    spending: real === null ? null : told.spending,
    leftovers,
    error: message,
    addresses,
  };
  if (options.json) process.stdout.write(`${jsonOf(outcome)}\n`);
  if (interrupted) return EXIT.interrupted;
  return ok ? EXIT.ok : EXIT.failed;
}

function printAgent(agent: RealAgent | null): void {
  if (agent === null) {
    feed.line(
      'The agent is a scripted stand-in for a coding CLI: it does what the issue spells out. Everything else is real.',
    );
    feed.line(
      'Times count from the start of this command. With a key such as ANTHROPIC_API_KEY in the environment, a real CLI',
    );
    feed.line('and its model do the work:  script/demo --provider claude');
    return;
  }
  const { provider, keyEnv, upstream } = agent;
  feed.line(
    `The agent is ${provider.name} ${String(provider.version)}, and its model is asked for real at ${escapeTerminal(upstream)} with the key in`,
  );
  feed.line(`${keyEnv}: that costs money and takes minutes. Times count from the start of this command.`);
}

interface World {
  readonly logs: string;
  readonly runtime: DockerBottleRuntime;
  readonly servers: Servers;
  facts: Facts | undefined;
}

async function act(world: World): Promise<void> {
  const { logs, runtime, servers } = world;
  const forge = await servers.heard('forge_started', 'the forge to start', wait);
  const { facts } = forge;
  world.facts = facts;
  steps.done(
    'forge_started',
    forge.at,
    'forge',
    `Gitea ${facts.giteaVersion} at ${facts.giteaUrl}, with ${facts.repo}`,
  );
  const { at } = await servers.heard('up', '`bot-bottle up` to be up', wait);
  steps.done(
    'up',
    at,
    'set-up',
    `bot-bottle up: webhook at ${facts.webhookUrl}, Temporal UI at ${facts.temporalUi}`,
  );
  const client = new Client({ connection: await Connection.connect({ address: facts.temporalAddress }) });
  try {
    const stage = new Stage({ facts, client, runtime, feed, steps, upLog: join(logs, 'up.log'), wait }, told);
    const turns = real === null ? new ScriptedTurns(stage) : new CliTurns(stage, real.provider);
    await new Story(stage, turns).tell();
  } finally {
    await client.connection.close();
    servers.family.look();
  }
  printTimeline(feed, told);
}

/** Never rejects: what could not be looked for is told as a trace. */
async function cleanUp(world: World): Promise<{ leftovers: Leftovers; traces: readonly string[] }> {
  const { servers, runtime, facts } = world;
  const began = Date.now();
  feed.flush();
  const processes = await servers.stop();
  if (processes.length > 0 && facts !== undefined)
    await removeBottles(facts.home, (text) => {
      feed.bad(escapeTerminalLines(text.trim()));
    });
  const directories = facts === undefined ? [] : [facts.home, facts.giteaDir];
  const traces = stillThere(directories);
  let leftovers: Leftovers = { ...NONE, processes };
  try {
    leftovers = await leftoversOf(runtime, told.slug, processes);
    if (told.slug !== null && (await runtime.pinnedRuns()).includes(told.slug))
      traces.push(`the name of ${told.slug} on its image`);
  } catch (error) {
    traces.push(`the engine could not be asked: ${textOf(error)}`);
  }
  if (isClean(leftovers) && traces.length === 0)
    steps.done('cleaned_up', Date.now(), 'set-up', 'everything is stopped and removed');
  else feed.bad(`cleaning up took ${seconds(Date.now() - began)} and left something`);
  return { leftovers, traces };
}

function printFailure(error: unknown, logs: string): void {
  feed.line();
  if (error instanceof Interrupted) {
    feed.bad('interrupted; cleaning up');
    return;
  }
  feed.bad(escapeTerminalLines(textOf(error)));
  const file = join(logs, 'up.log');
  const lines = readLines(file) ?? readLines(join(logs, 'keeper.log')) ?? [];
  feed.line(`  the last lines of ${file}:`);
  for (const line of lines.slice(-LOG_LINES)) feed.line(`  | ${escapeTerminal(line)}`);
}

function readLines(file: string): string[] | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n');
  } catch {
    return undefined;
  }
}

function printEnd(end: {
  readonly ok: boolean;
  readonly kept: boolean;
  readonly interrupted: boolean;
  readonly facts: Facts | undefined;
  readonly leftovers: Leftovers;
  readonly traces: readonly string[];
  readonly logs: string;
}): void {
  const { ok, kept, interrupted, facts, leftovers, traces, logs } = end;
  printSteps(feed, steps.all);
  if (real !== null) printSpending(feed, told);
  if (facts !== undefined) printAddresses(feed, facts, told);
  feed.line();
  if (kept && facts !== undefined) {
    feed.good('Everything is left up. Stop it and remove every trace with:  script/demo --stop');
    feed.line(`  sign in to Gitea as ${facts.alice.login} with password ${facts.alice.password}`);
    feed.line(`  home ${facts.home}, logs ${logs}`);
    return;
  }
  if (ok) {
    feed.good('Done, and everything is gone again: no container, volume, process or directory is left.');
    feed.line('  script/demo --keep leaves it up, so that you can look around at these addresses.');
    return;
  }
  for (const name of [...leftovers.containers, ...leftovers.volumes, ...traces])
    feed.bad(`left behind: ${escapeTerminal(name)}`);
  for (const { pid, name } of leftovers.processes)
    feed.bad(`had to be killed: ${escapeTerminal(name)} (${String(pid)})`);
  const clean = isClean(leftovers) && traces.length === 0;
  if (interrupted && clean) feed.good('Interrupted; nothing is left behind.');
  else feed.bad(`Failed. The logs are in ${logs}`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
