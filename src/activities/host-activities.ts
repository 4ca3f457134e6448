import { Context } from '@temporalio/activity';
import { archiveRun } from './archive-run.js';
import { beating } from './base/beating.js';
import { destroyRun } from './destroy-run.js';
import { typedFailures } from './base/failures.js';
import type { HostPorts } from './ports/host-ports.js';
import type { PublishInput } from './ports/inputs.js';
import type { ClaimActivities, HereActivities, HostActivities, TurnActivities } from './ports/interface.js';
import { besideTask } from './publish/beside-task.js';
import type { PublishResult } from '../domain/run/turn.js';
import { publishWork } from './publish/publish-work.js';
import { settleTurn } from './settle-turn.js';
import { OneByOne } from '../domain/base/one-by-one.js';
import { openPrWork, stepOfChange, stepOfRun, stepOfTurn } from './base/work-of-run.js';
import { whereItIs } from './prepare/where-it-is.js';
import { newestSnapshot } from './transcript/kept-snapshots.js';
import { atMostThrice } from './base/tries.js';
import { Waking } from './base/waking.js';
import { applyChange } from './supervise/apply-change.js';
import { rebuildImage } from './supervise/rebuild-image.js';
import type { Attachments } from './turn/attachments.js';
import { COALESCE_MS } from './turn/turn-journal.js';
import { watchTurn } from './turn/watch-turn.js';

/**
 * The activities of one host, over its ports.
 * @param attachments who watches what in this process
 */
export function createHostActivities(
  ports: HostPorts,
  attachments: Attachments,
): ClaimActivities & TurnActivities & HereActivities & HostActivities {
  // An agent whose sidecar was lost asks again: at the same time, the forge would open two pull requests.
  const publishing = new OneByOne();
  const waking = new Waking(ports.clock);
  const publish = (through: HostPorts, input: PublishInput, signal: AbortSignal): Promise<PublishResult> =>
    publishing.next(input.slug, () =>
      ports.underWay.during(openPrWork(input), () =>
        whereItIs(ports.forgeFor, input, (here) => publishWork(through, here, signal)),
      ),
    );

  return typedFailures({
    claimHost: () => Promise.resolve({ host: ports.host }),
    launchBottle: (input) => watchTurn(ports, attachments, input, 'run'),
    rehydrateBottle: (input) => watchTurn(ports, attachments, input, 'run'),
    reattachBottle: (input) => watchTurn(ports, attachments, input, 'attach'),
    lastCheckinAge: (run) => checkinAge(ports, waking, run.slug, run.turn),
    askHost: async ({ slug }) => ({ holds: await newestSnapshot(ports.files, slug) }),
    publishHere: ({ host, taskBeganAt, ...input }) =>
      host === ports.host
        ? beating((signal) => publish(besideTask(ports, taskBeganAt), input, signal))
        : Promise.resolve(null),
    publishWork: (input) => settling((signal) => publish(ports, input, signal)),
    applyChange: (input) =>
      beating((signal) =>
        ports.underWay.during(stepOfChange(input), () => applyChange(ports, input, signal)),
      ),
    // Not marked as under way: suspects are tried one run at a time, and a build takes up to half an hour.
    rebuildImage: (input) => beating((signal) => rebuildImage(ports, input, signal)),
    freezeBottle: (input) =>
      settling((signal) =>
        ports.underWay.during(stepOfTurn(input, 'settle'), () =>
          whereItIs(ports.forgeFor, input, (here) => settleTurn(ports, here, signal)),
        ),
      ),
    archiveBottle: ({ slug }) =>
      beating(() =>
        ports.underWay.during(stepOfRun(slug, 'archive'), () =>
          archiveRun(ports, slug, () => mayGoOn(attachments, slug)),
        ),
      ),
    destroyBottle: (run) =>
      beating(async (signal) => {
        await destroyRun(ports, run, signal);
      }),
  });
}

/** An activity's work on what an agent left: it ends, whatever that is. */
export function settling<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return beating((signal) => atMostThrice(() => work(signal), signal));
}

/** An attempt that was given up may still run when the next turn has begun. */
function mayGoOn(attachments: Attachments, slug: string): boolean {
  return !attachments.has(slug) && !Context.current().cancellationSignal.aborted;
}

/**
 * Least number of milliseconds since the turn's last check-in. The disk may not know of the last few seconds yet, and
 * the watchdog must not stop an agent for a check-in that was not written down, or that slept as this machine did.
 */
async function checkinAge(ports: HostPorts, waking: Waking, slug: string, turn: number): Promise<number> {
  const record = await ports.files.readTurn(slug, turn);
  const heardAt = Math.max(record?.lastCheckinAt ?? 0, waking.wokeAt());
  return Math.max(0, ports.clock.now() - heardAt - COALESCE_MS);
}
