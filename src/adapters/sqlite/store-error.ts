import { BotBottleError } from '../../domain/base/errors.js';

/** A database file that cannot be used as it is: a newer schema, a corrupt row, no access, no room. */
export class StoreError extends BotBottleError {
  constructor(message: string, options: { readonly retryable?: boolean; readonly cause?: unknown } = {}) {
    super('store', message, options.retryable ?? false, { cause: options.cause });
  }
}
