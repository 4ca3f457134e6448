import type { Inbox } from '../../domain/forge/delivery.js';

const PRUNE_MS = 3_600_000;

/** Every hour, until the answer is called. On a full disk it is tried again the next time. */
export function pruneInbox(
  inbox: Pick<Inbox, 'prune'>,
  onError: (message: string, error: unknown) => void,
): () => void {
  const timer = setInterval(() => {
    try {
      inbox.prune(Date.now());
    } catch (error) {
      onError('what is old in the inbox could not be removed; trying again in an hour', error);
    }
  }, PRUNE_MS);
  return () => {
    clearInterval(timer);
  };
}
