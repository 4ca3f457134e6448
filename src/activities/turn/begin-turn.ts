import type { ContainerState } from '../../domain/bottle-runtime.js';
import type { TurnRefs } from '../../domain/git-repository.js';
import type { AgentManifest } from '../../domain/manifests.js';
import type { RunPaths } from '../../domain/run-files.js';
import { movedSection } from '../../domain/prompt.js';
import type { MovedBranch } from '../../domain/prompt-input.js';
import type { HostPorts } from '../host-ports.js';
import type { RunTurnInput } from '../inputs.js';
import { changesOnForge } from './changes-on-forge.js';
import type { TurnJournal } from './turn-journal.js';

export const TRANSCRIPT_FILE = 'transcript/session.tar';

/**
 * Brings the turn to the point where its agent runs, from wherever an earlier try left it. Clone, bundle start and
 * agent creation run side by side; the entrypoint waits for the bundle's socket, so the agent need not.
 */
export async function beginTurn(
  ports: HostPorts,
  input: RunTurnInput,
  journal: TurnJournal,
  signal: AbortSignal,
): Promise<void> {
  const { slug } = input;
  if (journal.resumed && hasStarted(await ports.runtime.inspect(slug, 'agent'), journal.record.previousStart))
    return;
  const paths = await ports.files.prepare(slug);
  await createBundle(ports, input, paths);
  // The agent waits longest for the bundle's socket, so nothing, git's processes least of all, comes before its start.
  const bundleStarted = ports.runtime.start(slug, 'bundle');
  // Waited for last: its failure must not go unhandled when another decides.
  bundleStarted.catch(() => undefined);
  const [refs, agent] = await Promise.all([fetchRefs(ports, input, paths), createAgent(ports, input)]);
  const sessionId = await writeInput(ports, input, refs, journal);
  await journal.decide({
    previousStart: agent.startedAt,
    refs,
    baseSha: refs.resetTo ?? input.head ?? refs.startSha,
    sessionId,
    // The container's output of earlier turns is still there, and is not this turn's.
    logSince: agent.status === 'created' ? null : new Date(ports.clock.now()).toISOString(),
    lastCheckinAt: ports.clock.now(),
  });
  signal.throwIfAborted();
  await Promise.all([ports.runtime.start(slug, 'agent'), bundleStarted]);
}

/** The engine's start time differs from the one before this turn, so it was this turn that started it. */
export function hasStarted(agent: ContainerState | undefined, previousStart: string): boolean {
  return agent !== undefined && agent.status !== 'created' && agent.startedAt !== previousStart;
}

interface FetchedRefs extends TurnRefs {
  /** The branch was rewritten on the forge: the workspace starts again from there. */
  readonly resetTo: string | null;
  readonly moved: readonly MovedBranch[];
}

async function fetchRefs(ports: HostPorts, input: RunTurnInput, paths: RunPaths): Promise<FetchedRefs> {
  const { subject } = input;
  const { branch } = input.prepared;
  const refs = await ports.git.refresh(subject, branch, input.prepared.baseBranches);
  const [changes] = await Promise.all([
    changesOnForge(ports, input, refs),
    ports.git.writeRefsBundle(subject, refs, branch, `${paths.turnInput}/refs.bundle`),
  ]);
  return { ...refs, ...changes };
}

async function createBundle(ports: HostPorts, input: RunTurnInput, paths: RunPaths): Promise<void> {
  const { runtime, settings, files, queue } = ports;
  const { slug } = input;
  const { owner, repo } = input.subject;
  await Promise.all([
    files.placeToken(slug),
    queue.writeTurnHeader(slug, { turn: input.turn, prNumber: input.prNumber, owner, repo }),
  ]);
  await runtime.createBundle({
    slug,
    image: settings.bundleImage,
    queueOutDir: paths.queueOut,
    queueInDir: paths.queueIn,
    tokenFile: paths.bundleToken,
    caFile: settings.caFile,
    loopbackDir: settings.loopbackDir,
    network: settings.bundleNetwork,
    env: bundleEnv(ports, input),
  });
}

/** Adopted, or new; a new one of an older run gets its session back. */
async function createAgent(ports: HostPorts, input: RunTurnInput): Promise<ContainerState> {
  const { runtime, settings, files } = ports;
  const { slug, prepared } = input;
  const { workspace, turnInput } = files.paths(slug);
  const agent = await runtime.createAgent({
    slug,
    image: prepared.image,
    workspaceDir: workspace,
    turnDir: turnInput,
    limits: prepared.limits,
    env: prepared.env,
    ...(settings.containerRuntime === null ? {} : { runtime: settings.containerRuntime }),
  });
  if (agent.status === 'created' && input.turn > 1) await restoreSession(ports, input);
  return agent;
}

/** Configuration of the sidecar; the token is a file, and what changes with the turn is in the queue's header. */
export function bundleEnv(ports: HostPorts, input: RunTurnInput): Record<string, string> {
  const { subject, slug, prNumber } = input;
  const { forgeKind, forgeApi } = ports.settings;
  return {
    BOTTLE_SLUG: slug,
    FORGE_KIND: forgeKind,
    [forgeKind === 'github' ? 'FORGE_GITHUB_API' : 'FORGE_GITEA_API']: forgeApi,
    FORGE_OWNER: subject.owner,
    FORGE_REPO: subject.repo,
    FORGE_ISSUE_NUMBER: String(subject.number),
    FORGE_PR_NUMBER: prNumber === null ? '' : String(prNumber),
    ...(ports.settings.loopbackDir === null ? {} : { FORGE_SOCKET: '/run/bottle/loopback/forge.sock' }),
  };
}

/** A fresh container of an older run: its session comes back from the snapshot. */
async function restoreSession(ports: HostPorts, input: RunTurnInput): Promise<void> {
  const tar = await ports.files.readFile(input.slug, TRANSCRIPT_FILE);
  if (tar !== undefined) await ports.runtime.restore(input.slug, 'agent', '/home/agent', tar);
}

async function writeInput(
  ports: HostPorts,
  input: RunTurnInput,
  refs: FetchedRefs,
  journal: TurnJournal,
): Promise<string | null> {
  const { slug, turn, subject, prepared } = input;
  const provider = ports.provider(prepared.provider);
  const resume = input.sessionId !== null;
  // A turn that died before its session existed starts a new one, under a new id.
  const sessionId =
    input.sessionId ?? journal.record.sessionId ?? provider.newSessionId(`${slug}/${String(turn)}`);
  const prompt = (await ports.blobs.getText(prepared.promptRef)) + movedSection(refs.moved);
  const launch = provider.launch({ sessionId, resume, model: prepared.model });
  const gitUser: AgentManifest['gitUser'] = prepared.gitUser;
  // Kept as it was given: the next turn's takes its place in the input.
  await ports.files.saveFile(slug, `turns/${String(turn)}/prompt.md`, prompt);
  await ports.files.writeTurnInput(slug, {
    turn,
    argv: launch.argv,
    env: launch.env,
    prompt,
    branch: prepared.branch,
    start: refs.startSha,
    gitUser,
    wantsForge: true,
    resetTo: refs.resetTo,
    turnJson: { turn, issueNumber: subject.number, prNumber: input.prNumber },
  });
  return sessionId;
}
