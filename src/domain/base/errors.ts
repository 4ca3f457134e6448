/** Faults with a stable code. An error that no repetition can cure says so, and activities never retry it. */
export class BotBottleError extends Error {
  /** What is needed does not answer at all. Nobody's input does that, and it comes back: worth waiting for. */
  readonly away: boolean;

  constructor(
    readonly code: string,
    message: string,
    readonly retryable: boolean,
    options?: FaultOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
    this.away = options?.away ?? false;
  }
}

export interface FaultOptions {
  readonly cause?: unknown;
  readonly away?: boolean;
}

/** Between us and the forge, or the forge that starts: whatever was sent, it was not looked at. */
const FORGE_AWAY = new Set([0, 429, 502, 503, 504]);

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
      { cause: options?.cause, away: FORGE_AWAY.has(status) },
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

/** The key that seals the record cannot be used. What waits for it goes on when it is mended: no run is lost by that. */
export class SigningKeyError extends BotBottleError {
  constructor(message: string) {
    super('signing_key', message, true);
  }
}

/** The container engine refused or is away. */
export class BottleRuntimeError extends BotBottleError {
  constructor(message: string, retryable: boolean, options?: FaultOptions) {
    super('bottle_runtime', message, retryable, options);
  }
}

/** A throw-away container took too long or wrote too much: what it looked at would do it again. */
export class ContainerOverrunError extends BottleRuntimeError {}

/** git failed on one of our own repositories (never on a workspace: those are not opened on the host). */
export class GitError extends BotBottleError {
  constructor(message: string, retryable: boolean, options?: FaultOptions) {
    super('git', message, retryable, options);
  }
}

/** The forge let git not at the repository: not found, token refused, a redirect, a certificate. Final. */
export class GitAccessError extends GitError {
  constructor(message: string) {
    super(message, false);
  }
}

/**
 * git needed more time, memory, CPU or output than it may have, or gave up for want of it. Where it works on an agent's
 * commits, that is an answer to the agent: the next try would end in the same way.
 */
export class GitOverrunError extends GitError {
  /** @param reason for the agent, in words it can act on */
  constructor(
    message: string,
    readonly reason?: string,
    retryable = true,
  ) {
    super(message, retryable);
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

/** `undefined` instead of the error for what is not there. */
export async function unlessNotFound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
