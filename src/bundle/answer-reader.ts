import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord, recordIn } from '../domain/base/is-record.js';
import { isForgeNumber } from '../domain/forge/issue.js';
import type { QueueAnswer } from '../domain/run/queue.js';
import type { ProposalAnswer } from '../domain/supervise/proposal.js';

/** A call that is held costs fifty looks a second. */
const POLL_MS = 20;
/** Complete by its type. */
const STATUSES: Readonly<Record<ProposalAnswer['status'], true>> = {
  approved: true,
  modified: true,
  rejected: true,
  failed: true,
  cancelled: true,
  pending: true,
};

type Result = QueueAnswer['result'];

/** Reads the worker's answers, `<request id>.json`, each put whole into a directory that only the worker can write. */
export class AnswerReader {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Resolves when the answer is there, however long that takes. Errors: the signal's reason when aborted; `Error` for a file
   * that is malformed.
   */
  async wait(requestId: string, signal: AbortSignal): Promise<Result> {
    for (;;) {
      signal.throwIfAborted();
      const found = this.#read(requestId);
      if (found === 'malformed') throw new Error(`the answer to request ${requestId} is malformed`);
      if (found !== 'absent') return found;
      await delay(POLL_MS);
    }
  }

  /** Pull requests of answers that lie there, also to a predecessor that was killed while it waited. */
  publishedPrs(): number[] {
    return readdirSync(this.#directory).flatMap((name) => {
      const answer = this.#read(basename(name, '.json'));
      return typeof answer === 'object' && answer.kind === 'published' ? [answer.pr] : [];
    });
  }

  #read(requestId: string): Result | 'absent' | 'malformed' {
    try {
      const text = readFileSync(join(this.#directory, `${requestId}.json`), 'utf8');
      return parseAnswer(requestId, text) ?? 'malformed';
    } catch {
      return 'absent';
    }
  }
}

function parseAnswer(requestId: string, text: string): Result | undefined {
  const { requestId: asked, result } = recordIn(text) ?? {};
  if (asked !== requestId || !isRecord(result)) return undefined;
  const { kind, reason, pr, url, head, id, status, notes } = result;
  if (kind === 'clean') return { kind };
  if ((kind === 'refused' || kind === 'secret' || kind === 'unchecked') && typeof reason === 'string')
    return { kind, reason };
  if (kind === 'published' && isForgeNumber(pr) && typeof url === 'string' && typeof head === 'string') {
    return { kind, pr, url, head };
  }
  if (kind === 'decision' && typeof id === 'string' && isStatus(status) && typeof notes === 'string')
    return { kind, id, status, notes };
  return undefined;
}

function isStatus(value: unknown): value is ProposalAnswer['status'] {
  return typeof value === 'string' && Object.hasOwn(STATUSES, value);
}
