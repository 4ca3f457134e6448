import { isNotFound } from '../../domain/errors.js';
import type { PullRequest } from '../../domain/issue.js';
import { forgeNumber } from './forge-number.js';

export interface PullReader {
  read(number: number): Promise<PullRequest>;
  /** Open ones whose head is ours (`isHeadOfOurs`), newest first. */
  open(): Promise<readonly PullRequest[]>;
}

/**
 * The known PR whatever its state; without one, or when it is gone, the newest open PR from a head
 * `bot-bottle/<issue>-*` of ours (another fork's branch of that name is somebody else's).
 */
export async function prForIssue(
  pulls: PullReader,
  issue: number,
  knownPr: number | null,
): Promise<PullRequest | undefined> {
  const prefix = `bot-bottle/${String(forgeNumber(issue))}-`;
  if (knownPr !== null) {
    try {
      return await pulls.read(knownPr);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return (await pulls.open()).find((pr) => pr.head.ref.startsWith(prefix));
}
