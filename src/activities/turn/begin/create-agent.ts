import type { ContainerState } from '../../../domain/bottle/bottle-runtime.js';
import type { BottleSetup } from '../../../domain/bottle/bottle-setup.js';
import { recordBefore } from '../../base/record-before.js';
import type { HostPorts } from '../../ports/host-ports.js';
import type { RunTurnInput } from '../../ports/inputs.js';
import { restoreSession } from '../../transcript/restore-session.js';

/** Adopted, or new, as one of another image is replaced; a new one of an older run whose home is lost gets its session back. */
export async function createAgent(
  ports: HostPorts,
  input: RunTurnInput,
  setup: BottleSetup,
  image: string,
): Promise<{ readonly agent: ContainerState; readonly isHomeLost: boolean }> {
  const { runtime, settings, files, clock } = ports;
  const { slug, prepared } = input;
  const { workspace, home, turnInput, currentConfig } = files.paths(slug);
  const containerRuntime = setup.runtime ?? settings.containerRuntime;
  const there = await runtime.inspect(slug, 'agent');
  // Its home is a volume and its workspace a directory, so nothing of the agent's is lost with it.
  if (there !== undefined && (there.imageId !== image || hasLaterLog(there, clock.now())))
    await runtime.remove(slug, 'agent');
  const agent = await runtime.createAgent({
    slug,
    image,
    workspaceDir: workspace,
    turnDir: turnInput,
    configDir: currentConfig,
    ...(home === undefined ? {} : { homeDir: home }),
    limits: prepared.limits,
    env: prepared.env,
    ...(containerRuntime === null ? {} : { runtime: containerRuntime }),
  });
  const isNew = agent.status === 'created' && input.turn > 1 && (await hasNewHome(ports, input));
  // Of a run that was moved, what this host may have is of an earlier time, and the session is a fresh one.
  if (isNew && input.moved !== 'lost') await restoreSession(ports, input);
  // Turns before this one may have come to nothing.
  return { agent, isHomeLost: isNew && input.head !== null };
}

/** The clock was set back since it ran: what it wrote then would be taken for this turn's output, and what it writes now not. */
function hasLaterLog({ finishedAt }: ContainerState, now: number): boolean {
  return Date.parse(finishedAt) > now;
}

/**
 * The volume that holds the session is younger than the last turn, so it is not the one that turn wrote to. One that is
 * older has the session itself, which may be longer than the snapshot (see the transcript limit).
 */
async function hasNewHome(ports: HostPorts, input: RunTurnInput): Promise<boolean> {
  const home = (await ports.runtime.list(input.slug)).find(
    ({ type, role }) => type === 'volume' && role === 'home',
  );
  if (home === undefined) return true;
  const before = await recordBefore(ports.files, input);
  // The engine gives whole seconds.
  return before === undefined || Date.parse(home.createdAt) + 1_000 > before.lastCheckinAt;
}
