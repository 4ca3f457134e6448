/**
 * The process that has the demo's servers: a forge, and `bot-bottle up` with Temporal, webhook and worker. It lives as
 * long as the demo, or until SIGTERM when the demo asks it to stay; then it ends everything and removes every trace.
 *
 *     keeper.ts <directory for logs> <directory for records of kept demos>
 */
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from '../../../test/support/stack/stack.js';
import { textIn } from '../../../test/support/gitea/api.js';
import { REPO } from '../../../test/support/gitea/start-gitea.js';
import { endRuns, removeBottles } from './end-runs.js';
import type { AgentSetup, FromKeeper, ToKeeper } from './messages.js';
import { processOf } from './processes.js';

const [logs = '', records = ''] = process.argv.slice(2);
const recordFile = join(records, String(process.pid));
let kept = false;
let isUp = false;
let stack: Stack | undefined;

let begin: (agent: AgentSetup | null) => void = () => undefined;
const begun = new Promise<AgentSetup | null>((resolve) => {
  begin = resolve;
});
const asked = new Promise<void>((resolve) => {
  const stop = (): void => {
    resolve();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('message', (message: ToKeeper) => {
    if (message.kind === 'stop') stop();
    else if (message.kind === 'keep') keep();
    else begin(message.agent);
  });
  // The demo has ended, in whatever way.
  process.on('disconnect', () => {
    if (!kept) stop();
  });
});

try {
  const agent = await Promise.race([begun, asked.then(() => 'stopped' as const)]);
  // Not raced against `asked`: what is half started can only be ended once it is known.
  if (agent !== 'stopped') await start(agent);
  await asked;
} catch (error) {
  tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  await asked;
} finally {
  await end();
}

async function start(agent: AgentSetup | null): Promise<void> {
  const env = {
    ...inherited(['DOCKER_HOST', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY']),
    ...agent?.settings,
  };
  stack = await Stack.prepare({ env, onOutput: toLog });
  const { gitea, home, temporalAddress, uiUrl, webhookUrl } = stack;
  const { login, password, token, api } = gitea.alice;
  const version = await api.object('GET', '/version');
  tell({
    kind: 'forge_started',
    at: Date.now(),
    facts: {
      giteaUrl: gitea.url,
      giteaVersion: textIn(version, 'version'),
      giteaDir: gitea.process.dir,
      home,
      temporalAddress,
      temporalUi: uiUrl,
      webhookUrl,
      botLogin: gitea.bot.login,
      repo: REPO,
      alice: { login, password, token },
    },
  });
  if (agent !== null) await equip(stack, agent);
  await stack.start();
  isUp = true;
  tell({ kind: 'up', at: Date.now() });
}

/** The key goes the way that an operator's does: by the product's own command, on its standard input. */
async function equip(stack: Stack, { manifest, key }: AgentSetup): Promise<void> {
  if (manifest !== null) {
    mkdirSync(join(stack.home, 'agents'), { recursive: true });
    writeFileSync(join(stack.home, 'agents', `${manifest.name}.md`), manifest.text);
  }
  const bound = key.host === null ? [] : ['--host', key.host];
  const { code, stderr } = await stack.cli(['secret', 'set', key.secret, ...bound], key.value);
  if (code !== 0) throw new Error(`the key could not be set: ${stderr.trim()}`);
}

/** `script/demo --stop` finds us by this file. */
function keep(): void {
  kept = true;
  mkdirSync(records, { recursive: true, mode: 0o700 });
  writeFileSync(recordFile, `${String(process.pid)}\n${processOf(process.pid)?.startTime ?? ''}\n`);
  tell({ kind: 'kept', recordFile });
}

async function end(): Promise<void> {
  if (stack !== undefined) {
    if (isUp) await endRuns(stack, toLog);
    await stack.stopUp();
    await removeBottles(stack.home, toLog);
    await stack.remove();
  }
  if (kept) {
    rmSync(recordFile, { force: true });
    // Otherwise it is the demo that decides whether the logs are still wanted.
    rmSync(logs, { recursive: true, force: true });
  }
  if (process.connected) process.disconnect();
}

function toLog(text: string): void {
  appendFileSync(join(logs, 'up.log'), text, { mode: 0o600 });
}

function tell(message: FromKeeper): void {
  if (process.connected) process.send?.(message);
}

function inherited(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
