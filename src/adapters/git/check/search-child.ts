/** The process of `searchObjects`: reads the objects and looks at every byte of them. Its task comes as a message. */
import { messageOf } from '../../../domain/base/message-of.js';
import { GitError, GitOverrunError } from '../../../domain/base/errors.js';
import { searchHere, type SearchAnswer, type SearchTask } from './search-objects.js';

/** An error loses its class on the way to the other process. */
function failed(error: unknown): SearchAnswer {
  const overrun = error instanceof GitOverrunError;
  const retryable = error instanceof GitError && error.retryable;
  return {
    kind: 'failed',
    message: messageOf(error),
    retryable,
    overrun,
  };
}

process.once('message', (task) => {
  void searchHere(task as SearchTask)
    .then((hits): SearchAnswer => ({ kind: 'searched', hits }), failed)
    .then((answer) => process.send?.(answer));
});
