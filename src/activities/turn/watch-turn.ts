import { activityInfo, ApplicationFailure, Context } from '@temporalio/activity';
import type { TurnResult } from '../../domain/run/turn.js';
import type { WatchedTurn } from '../../domain/run/watched-turn.js';
import { HEARTBEAT_MS } from '../base/beating.js';
import type { HostPorts } from '../ports/host-ports.js';
import type { RunTurnInput } from '../ports/inputs.js';
import type { Attachments } from './attachments.js';
import { superviseTurn } from './supervise-turn.js';
import type { TurnJournal } from './turn-journal.js';

/**
 * How long a turn may take to end once its workflow has stopped it, milliseconds. A workflow that ends waits for less, and takes
 * nothing after that; one that goes on attaches the turn again.
 */
const LET_GO_MS = 60_000;

/**
 * The turn as an activity: with heartbeats, in its slot, stopped when the workflow cancels it, and left running when the worker
 * goes away; then it fails as `TurnDetached`.
 * @param attachments who watches what in this process
 */
export async function watchTurn(
  ports: HostPorts,
  attachments: Attachments,
  input: RunTurnInput,
  how: 'run' | 'attach',
): Promise<TurnResult> {
  const { slug, turn } = input;
  const context = Context.current();
  const detach = attachments.take(slug);
  const stop = new AbortController();
  let late: NodeJS.Timeout | undefined;
  // Only a cancellation that the workflow asked for stops the agent; all others leave it running.
  context.cancellationSignal.addEventListener('abort', () => {
    if (context.cancellationDetails?.cancelRequested === true) {
      stop.abort(new Error('cancelled by the workflow'));
      // The signal does not fire again, whatever else becomes of the workflow or the worker.
      late = setTimeout(() => {
        detach.abort(new Error('cancelled by the workflow, and not over in time'));
      }, LET_GO_MS);
    } else detach.abort(new Error('the worker is going away'));
  });
  let begun: Pick<TurnJournal, 'record'> | undefined;
  const heartbeats = setInterval(() => {
    // How the home machine learns when the agent was last heard of, without an event for each time.
    const at = begun?.record.lastCheckinAt ?? 0;
    const watched: WatchedTurn = { slug, turn, lastCheckinAt: at === 0 ? null : at };
    context.heartbeat(watched);
  }, HEARTBEAT_MS);
  try {
    ports.log.info({ slug, turn, how, attempt: activityInfo().attempt }, 'watching the turn');
    const result = await superviseTurn(ports, input, {
      detach: detach.signal,
      stop: stop.signal,
      onBegun: (journal) => {
        begun = journal;
      },
    });
    ports.slots.release(slug);
    return result;
  } catch (error) {
    if (detach.signal.aborted)
      throw ApplicationFailure.create({
        message: 'detached; the container goes on',
        type: 'TurnDetached',
        // A pause of Temporal's page holds tries back, and nobody would watch: another activity does.
        nonRetryable: context.cancellationDetails?.paused === true,
      });
    ports.slots.release(slug);
    throw error;
  } finally {
    clearInterval(heartbeats);
    clearTimeout(late);
    attachments.leave(slug, detach);
  }
}
