import { GitError } from '../../domain/errors.js';

const TOO_MUCH =
  'the new commits take more time or memory to check than there is for it: make them smaller and simpler (fewer files, ' +
  'no huge or deeply nested directories, no huge files), and publish again';

/**
 * git needed more time, memory, CPU or output than it may have, or gave up for want of it. Where it works on an agent's
 * commits, that is an answer to the agent: the next try would end in the same way.
 */
export class GitOverrunError extends GitError {
  /** @param reason for the agent, in words it can act on */
  constructor(
    message: string,
    readonly reason: string = TOO_MUCH,
    retryable = true,
  ) {
    super(message, retryable);
  }
}
