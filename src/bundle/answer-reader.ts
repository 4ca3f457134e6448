import { readdirSync, readFileSync, statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../domain/base/is-record.js';
import { isForgeNumber } from '../domain/forge/issue.js';
import { QUEUE_ID, QUEUE_MESSAGE_BYTES, type QueueAnswer } from '../domain/run/queue.js';
import type { ProposalAnswer } from '../domain/supervise/proposal.js';

const POLL_MS = 50;
/** A file that still makes no sense after this is no half-written one. */
const MALFORMED_MS = 2000;
const ANSWER_FILE = /^([a-z0-9]{8,40})\.json$/;
/** Complete by its type. */
const STATUSES: Readonly<Record<ProposalAnswer['status'], true>> = {
  approved: true,
  modified: true,
  rejected: true,
  failed: true,
  cancelled: true,
  pending: true,
};

/** Reads the worker's answers, `<request id>.json`, in a directory that only the worker can write. */
export class AnswerReader {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Resolves when the answer is there, however long that takes. Looks every 50 ms and, where the file system tells,
   * at once. Errors: the signal's reason when aborted; `Error` for a file that stays malformed.
   */
  wait(requestId: string, signal: AbortSignal): Promise<QueueAnswer> {
    return new Promise((resolve, reject) => {
      let malformedSince: number | undefined;
      const finish = (settle: () => void): void => {
        clearInterval(timer);
        watcher?.close();
        signal.removeEventListener('abort', aborted);
        settle();
      };
      const aborted = (): void => {
        finish(() => {
          reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
        });
      };
      const look = (): void => {
        const found = this.#read(requestId);
        if (found === 'absent') return;
        if (found !== 'malformed') {
          finish(() => {
            resolve(found);
          });
          return;
        }
        malformedSince ??= performance.now();
        if (performance.now() - malformedSince < MALFORMED_MS) return;
        finish(() => {
          reject(new Error(`the answer to request ${requestId} is malformed`));
        });
      };
      const timer = setInterval(look, POLL_MS);
      const watcher = watchQuietly(this.#directory, look);
      signal.addEventListener('abort', aborted);
      if (signal.aborted) aborted();
      else look();
    });
  }

  /** Pull requests of answers that lie there, also to a predecessor that was killed while it waited. */
  publishedPrs(): number[] {
    return readdirSync(this.#directory).flatMap((name) => {
      const requestId = ANSWER_FILE.exec(name)?.[1];
      const answer = requestId === undefined ? 'absent' : this.#read(requestId);
      return typeof answer === 'object' && answer.result.kind === 'published' ? [answer.result.pr] : [];
    });
  }

  #read(requestId: string): QueueAnswer | 'absent' | 'malformed' {
    if (!QUEUE_ID.test(requestId)) return 'malformed';
    const file = join(this.#directory, `${requestId}.json`);
    try {
      if (statSync(file).size > QUEUE_MESSAGE_BYTES) return 'malformed';
      return parseAnswer(requestId, JSON.parse(readFileSync(file, 'utf8'))) ?? 'malformed';
    } catch (error) {
      return error instanceof SyntaxError ? 'malformed' : 'absent';
    }
  }
}

function parseAnswer(requestId: string, value: unknown): QueueAnswer | undefined {
  if (!isRecord(value) || value['requestId'] !== requestId) return undefined;
  const result = value['result'];
  if (!isRecord(result)) return undefined;
  const { kind, reason, pr, url, head, id, status, notes } = result;
  if (kind === 'clean') return { requestId, result: { kind } };
  if ((kind === 'refused' || kind === 'secret' || kind === 'unchecked') && typeof reason === 'string')
    return { requestId, result: { kind, reason } };
  if (kind === 'published' && isForgeNumber(pr) && typeof url === 'string' && typeof head === 'string') {
    return { requestId, result: { kind, pr, url, head } };
  }
  if (kind === 'decision' && typeof id === 'string' && isStatus(status) && typeof notes === 'string')
    return { requestId, result: { kind, id, status, notes } };
  return undefined;
}

function isStatus(value: unknown): value is ProposalAnswer['status'] {
  return typeof value === 'string' && Object.hasOwn(STATUSES, value);
}

/** Only an accelerator: where watching is not possible the poll finds the file. */
function watchQuietly(directory: string, onChange: () => void): FSWatcher | undefined {
  try {
    return watch(directory, { persistent: false }, onChange).on('error', () => undefined);
  } catch {
    return undefined;
  }
}
