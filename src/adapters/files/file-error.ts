import { BotBottleError } from '../../domain/base/errors.js';

/** The run's files are not as they must be; `retryable` when the disk may recover. */
export class RunFilesError extends BotBottleError {
  constructor(message: string, retryable: boolean, options?: { cause?: unknown }) {
    super('run_files', message, retryable, options);
  }
}
