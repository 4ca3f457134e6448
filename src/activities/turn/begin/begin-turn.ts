import type { ContainerState } from '../../../domain/bottle/bottle-runtime.js';
import { METADATA_FILE, type RunMetadata } from '../../../domain/run/run-metadata.js';
import type { LostPart } from '../../../domain/run/run-files.js';
import { readText } from '../../base/run-text.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { createAgent } from './create-agent.js';
import { createBundle } from './create-bundle.js';
import { fetchRefs } from './fetch-refs.js';
import { protectedCommit } from './protected-commit.js';
import { requireRuntime } from './require-runtime.js';
import { readSetup } from '../../setup/read-setup.js';
import { keepChanges } from '../../setup/kept-changes.js';
import { writeConfig } from '../../setup/write-config.js';
import { runImage } from './run-image.js';
import { together } from '../together.js';
import type { TurnJournal } from '../turn-journal.js';
import { takeOver } from './take-over.js';
import { writeInput } from './write-input.js';

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
  if (await hasBegun(ports, slug, journal)) return;
  const isEmptied = await takeOver(ports, input, signal);
  const prepared = await ports.files.prepare(slug);
  const paths = { ...prepared, isNew: await startsAnew(ports, input, isEmptied || prepared.isNew) };
  const isWorkspaceLost = paths.isNew && input.head !== null;
  await keepChanges(ports.files, slug, input.changes ?? []);
  const setup = await readSetup(ports, input);
  await requireRuntime(ports.runtime, setup.runtime ?? ports.settings.containerRuntime);
  // Before the bundle starts: an image may have to be built, which takes minutes.
  const [image] = await together([
    runImage(ports, input, setup, signal),
    createBundle(ports, input, setup, paths),
    noteWhoseItIs(ports, input),
  ]);
  await writeConfig(ports, slug, setup);
  // The agent waits longest for the bundle's socket, so nothing, git's processes least of all, comes before its start.
  const bundleStarted = ports.runtime.start(slug, 'bundle');
  // Waited for last: its failure must not go unhandled when another decides.
  bundleStarted.catch(() => undefined);
  const [refs, { agent, isHomeLost }] = await together([
    fetchRefs(ports, input, setup, paths, signal),
    createAgent(ports, input, setup, image),
  ]);
  await ports.underWay.reached(slug, `made-${String(input.turn)}`);
  const lost: LostPart[] = [
    ...(isWorkspaceLost ? (['workspace'] as const) : []),
    ...(isHomeLost ? (['home'] as const) : []),
  ];
  // What is not there of a run that was moved, its prompt says already.
  const untold = input.moved === 'lost' ? [] : lost;
  const isFresh = paths.isNew || input.turn === 1;
  const sessionId = await writeInput(ports, input, { ...refs, lost: untold, isFresh }, setup, journal);
  const { name, version } = ports.provider(input.prepared.provider);
  await journal.decide({
    provider: { name, version },
    previousStart: agent.startedAt,
    refs,
    knownStuck: refs.knownStuck,
    // A workspace that was lost begins again where the forge's branch is: what was only in it is gone.
    baseSha: await protectedCommit(ports, input, refs, paths.isNew),
    sessionId,
    lost,
    // The container's output of earlier turns is still there, and is not this turn's.
    logSince: agent.status === 'created' ? null : new Date(ports.clock.now()).toISOString(),
    lastCheckinAt: ports.clock.now(),
  });
  signal.throwIfAborted();
  await together([ports.runtime.start(slug, 'agent'), bundleStarted]);
}

/**
 * The workspace is made in this turn. Noted beside it: a second try to begin it finds the workspace that the first one made.
 * For the first turn nothing depends on it.
 */
async function startsAnew(
  { files }: HostPorts,
  { slug, turn }: RunTurnInput,
  isNew: boolean,
): Promise<boolean> {
  if (turn === 1) return isNew;
  const note = `turns/${String(turn)}/workspace-lost`;
  if (isNew) await files.saveFile(slug, note, '');
  return isNew || (await files.readFile(slug, note)) !== undefined;
}

/** For the sweeper, which may have nothing else to go by. */
async function noteWhoseItIs({ files }: HostPorts, input: RunTurnInput): Promise<void> {
  const { slug, workflowId, repoId, subject, prepared, epoch } = input;
  const { forge, owner, repo, number } = subject;
  const metadata: RunMetadata = {
    workflowId,
    repoId,
    subject: { forge, owner, repo, number },
    branch: prepared.branch,
    ...(epoch === undefined ? {} : { epoch }),
  };
  const text = `${JSON.stringify(metadata, null, 2)}\n`;
  if ((await readText(files, slug, METADATA_FILE)) !== text) await files.saveFile(slug, METADATA_FILE, text);
}

/** An earlier try got as far as to start its agent. */
export async function hasBegun(
  { runtime }: Pick<HostPorts, 'runtime'>,
  slug: string,
  { resumed, record }: TurnJournal,
): Promise<boolean> {
  return resumed && hasStarted(await runtime.inspect(slug, 'agent'), record.previousStart);
}

/** The engine's start time differs from the one before this turn, so it was this turn that started it. */
function hasStarted(agent: ContainerState | undefined, previousStart: string): boolean {
  return agent !== undefined && agent.status !== 'created' && agent.startedAt !== previousStart;
}
