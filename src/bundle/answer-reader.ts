import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRecord, recordIn } from '../domain/base/is-record.js';
import { isForgeNumber } from '../domain/forge/issue.js';
import type { QueueAnswer } from '../domain/run/queue.js';
import type { ProposalAnswer } from '../domain/supervise/proposal.js';
import { watchQuietly } from './base/watch-quietly.js';

const POLL_MS = 50;
/** Complete by its type. */
const STATUSES: Readonly<Record<ProposalAnswer['status'], true>> = {
  approved: true,
  modified: true,
  rejected: true,
  failed: true,
  cancelled: true,
  pending: true,
};

/** Reads the worker's answers, `<request id>.json`, each put whole into a directory that only the worker can write. */
export class AnswerReader {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Resolves when the answer is there, however long that takes. Looks every 50 ms and, where the file system tells,
   * at once. Errors: the signal's reason when aborted; `Error` for a file that is malformed.
   */
  async wait(requestId: string, signal: AbortSignal): Promise<QueueAnswer['result']> {
    const found = await new Promise<QueueAnswer | 'absent' | 'malformed'>((resolve) => {
      const look = (): void => {
        const now = this.#read(requestId);
        if (now === 'absent' && !signal.aborted) return;
        clearInterval(timer);
        watcher?.close();
        signal.removeEventListener('abort', look);
        resolve(now);
      };
      const timer = setInterval(look, POLL_MS);
      const watcher = watchQuietly(this.#directory, look);
      signal.addEventListener('abort', look);
      look();
    });
    signal.throwIfAborted();
    if (typeof found === 'string') throw new Error(`the answer to request ${requestId} is malformed`);
    return found.result;
  }

  /** Pull requests of answers that lie there, also to a predecessor that was killed while it waited. */
  publishedPrs(): number[] {
    return readdirSync(this.#directory).flatMap((name) => {
      const answer = this.#read(basename(name, '.json'));
      return typeof answer === 'object' && answer.result.kind === 'published' ? [answer.result.pr] : [];
    });
  }

  #read(requestId: string): QueueAnswer | 'absent' | 'malformed' {
    try {
      const text = readFileSync(join(this.#directory, `${requestId}.json`), 'utf8');
      return parseAnswer(requestId, text) ?? 'malformed';
    } catch {
      return 'absent';
    }
  }
}

function parseAnswer(requestId: string, text: string): QueueAnswer | undefined {
  const { requestId: asked, result } = recordIn(text) ?? {};
  if (asked !== requestId || !isRecord(result)) return undefined;
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
