import type { QueueAnswer, QueueContent } from '../../domain/run/queue.js';

/**
 * Asks the orchestrator, after everything logged before, and waits for its answer, each time anew. Errors: the signal's reason,
 * after which the request is still there; the file system's own, after which it is not.
 */
export type Ask = (content: QueueContent, signal: AbortSignal) => Promise<QueueAnswer['result']>;
