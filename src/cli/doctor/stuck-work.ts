import { formatDuration } from '../../domain/base/duration.js';
import type { StuckWork } from '../../domain/upkeep/stuck-work.js';
import { fail, ok, warn } from './check.js';
import type { Finding } from './check.js';

const NAMED = 5;

/** What Temporal waits with, and for whom. */
export function stuckWorkFinding(work: StuckWork, now: number): Finding {
  const { open, isCut, failing, retried, standing, idleQueues } = work;
  const looked = `${isCut ? 'the first ' : ''}${String(open)} open workflows looked at`;
  const found: string[] = [];
  const remedies: string[] = [];
  if (failing.length > 0) {
    const each = failing.map(
      ({ workflowId, attempt, error }) =>
        `${workflowId} (attempt ${String(attempt)}: ${error ?? 'no answer in time'})`,
    );
    found.push(`workflows whose tasks fail: ${named(each)}`);
    remedies.push('the worker’s log has the stack; they go on when its next try succeeds');
  }
  if (retried.length > 0) {
    const each = retried.map(
      ({ workflowId, activity, attempt, error, since }) =>
        `${activity} of ${workflowId}, ${since === null ? 'for long' : `for ${minutes(now - since)}`}, attempt ${String(attempt)}: ${error ?? 'no answer in time'}`,
    );
    found.push(`activities in retry: ${named(each)}`);
    remedies.push('mend what their last error names; the next try finds it mended');
  }
  if (standing.length > 0) {
    const each = standing.map(({ workflowId, version }) => `${workflowId} (${version})`);
    found.push(`workflows of a version that no worker is of: ${named(each)}`);
    remedies.push(
      'the worker’s log says why; start the program of that version until they have ended (docs/upgrade.md#runs-that-stand-still)',
    );
  }
  if (idleQueues.length > 0) {
    found.push(`task queues without a worker: ${idleQueues.join(', ')}`);
    remedies.push('nothing is worked on: bot-bottle up, or bot-bottle worker');
  }
  if (found.length === 0) return ok(`${looked}, none is stuck`);
  const isWaiting = failing.length > 0 || retried.length > 0 || open > 0;
  return (isWaiting ? fail : warn)(`${looked}; ${found.join('; ')}`, remedies.join('; '));
}

function minutes(ms: number): string {
  return formatDuration(Math.floor(ms / 60_000) * 60_000);
}

function named(each: readonly string[]): string {
  const rest = each.length - NAMED;
  return each.slice(0, NAMED).join('; ') + (rest > 0 ? `; and ${String(rest)} more` : '');
}
