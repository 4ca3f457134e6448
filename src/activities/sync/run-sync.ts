import { AGENT_ENTRYPOINT } from '../../domain/bottle/bottle-runtime.js';
import { egressEnv } from '../../domain/egress/agent-env.js';
import { localSubject } from '../../domain/forge/issue.js';
import type { ModelBudget } from '../../domain/run/model-use.js';
import type { TurnResult } from '../../domain/run/turn.js';
import type { SyncRun } from '../../domain/sync/sync.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import { readSetup } from '../setup/read-setup.js';
import type { Attachments } from '../turn/attachments.js';
import { watchTurn } from '../turn/watch-turn.js';
import { BEGUN_FILE, hostOfSync } from './host-of-sync.js';
import type { SyncPorts } from './sync-ports.js';

export interface RunSyncInput {
  readonly run: SyncRun;
  /** What the day has left. */
  readonly budget: ModelBudget;
}

const DONE_GRACE_MS = 20_000;

/** A sync is one turn of a run without an issue. */
export function turnOfSync({ run, budget }: RunSyncInput, begun: boolean): RunTurnInput {
  const { workflowId, slug, order, prepared } = run;
  return {
    ...{ workflowId, slug, prepared, budget, begun, turn: 1, source: order.fork },
    subject: localSubject(slug),
    turnTimeoutMs: order.timeoutMs,
    doneGraceMs: DONE_GRACE_MS,
    ...{ repoId: null, sessionId: null, prNumber: null, head: null, goesOnWith: null, stop: null },
  };
}

/** One container, stopped at the limit: started by the first try, and found by every other. */
export async function runSync(
  ports: SyncPorts,
  attachments: Attachments,
  input: RunSyncInput,
  how: 'run' | 'attach',
): Promise<TurnResult> {
  const { run } = input;
  const { slug, runDir } = run;
  const host = hostOfSync(ports, run);
  const begun = (await host.files.readFile(slug, BEGUN_FILE)) !== undefined;
  const turn = turnOfSync(input, begun);
  const harness = await harnessOf(host, turn);
  await ports.directories.describe(runDir, { ...metadataOf(run), harness });
  host.log.info({ slug, runDir, ...harness }, 'the harness of a sync: fixed command, environment by name');
  return watchTurn(host, attachments, turn, how);
}

/** For `metadata.json`. */
function metadataOf({
  slug,
  workflowId,
  order,
  refs,
  startSha,
  agentBranch,
}: SyncRun): Readonly<Record<string, unknown>> {
  const { fork, upstream, timeoutMs, by } = order;
  return {
    ...{ slug, workflowId, by, timeoutMs, upstream },
    fork: `${fork.owner}/${fork.repo}`,
    ...{ start: startSha, agentBranch, ...refs },
  };
}

/** What the container is started with: the command as it is, of the environment the names alone. */
async function harnessOf(
  host: HostPorts,
  turn: RunTurnInput,
): Promise<{
  readonly entrypoint: string;
  readonly command: readonly string[];
  readonly environment: readonly string[];
}> {
  const { provider, model, variant = null, env } = turn.prepared;
  const setup = await readSetup(host, turn);
  const cli = host.provider(provider);
  const { argv, env: own } = cli.launch({
    ...{ resume: false, model, variant, modelUrl: setup.modelUrl, forge: false },
    sessionId: cli.newSessionId(`${turn.slug}/1`),
  });
  const given = { ...env, ...setup.clients.env, ...own, ...egressEnv(setup) };
  return { entrypoint: AGENT_ENTRYPOINT, command: argv, environment: Object.keys(given).sort() };
}
