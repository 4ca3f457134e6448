/** Faults with a stable code. An error that no repetition can cure says so, and activities never retry it. */
export class BotBottleError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly retryable: boolean,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The forge answered with an error status, or did not answer (`status` 0). 401, 403, 404 and 422 are final. */
export class ForgeHttpError extends BotBottleError {
  /** The wait the forge asked for, milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly status: number,
    readonly method: string,
    readonly path: string,
    message: string,
    options?: { cause?: unknown; retryAfterMs?: number | undefined },
  ) {
    super(
      status === 404 ? 'forge_not_found' : 'forge_http',
      message,
      status === 0 || status === 429 || status >= 500,
      options,
    );
    this.retryAfterMs = options?.retryAfterMs;
  }
}

/** A write outside the assigned issue and the run's own pull requests. */
export class ForgeScopeError extends BotBottleError {
  constructor(
    readonly operation: string,
    readonly target: string,
    readonly reason: string,
  ) {
    super('forge_scope', `${operation} on ${target} refused: ${reason}`, false);
  }
}

/** Input that is wrong whoever sends it again: a bad number, name, manifest or configuration. */
export class InvalidInputError extends BotBottleError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('invalid_input', message, false, options);
  }
}

/** A secret is missing or cannot be used: the operator mends that, and what waited for it goes on. */
export class UnusableSecretError extends InvalidInputError {}

/** The container engine refused or is away. */
export class BottleRuntimeError extends BotBottleError {
  constructor(message: string, retryable: boolean, options?: { cause?: unknown }) {
    super('bottle_runtime', message, retryable, options);
  }
}

/** A throw-away container took too long or wrote too much: what it looked at would do it again. */
export class ContainerOverrunError extends BottleRuntimeError {}

/** git failed on one of our own repositories (never on a workspace: those are not opened on the host). */
export class GitError extends BotBottleError {
  constructor(message: string, retryable: boolean, options?: { cause?: unknown }) {
    super('git', message, retryable, options);
  }
}

/** The secret scanner crashed, took too long or did not see everything; worth another try. */
export class SecretScanError extends BotBottleError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('secret_scan', message, true, options);
  }
}

/** It needed more time, memory or room for findings than it may have: the same texts would end in the same way. */
export class SecretScanOverrunError extends SecretScanError {}

const NOT_HERE = new Set([301, 302, 307, 308, 404, 410]);

/** Under that name there is nothing: gone, hidden from us, or moved (a redirect is not followed). */
export function isNotFound(error: unknown): boolean {
  return error instanceof ForgeHttpError && NOT_HERE.has(error.status);
}
