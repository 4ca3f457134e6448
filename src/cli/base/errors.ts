import { errnoOf } from '../../domain/base/errno.js';
import { messageOf } from '../../domain/base/message-of.js';
import { BotBottleError, InvalidInputError, isNotFound } from '../../domain/base/errors.js';
import { EXIT } from './exit-codes.js';

/** A failure a command saw coming, with its exit status. The message says what to do. */
export class CliError extends Error {
  constructor(
    readonly code: string,
    readonly exitCode: number,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'CliError';
  }
}

/** There is no such thing. */
export function notFound(message: string): CliError {
  return new CliError('not_found', EXIT.notFound, message);
}

/** What was asked cannot apply now. */
export function refused(reason: string): CliError {
  return new CliError('refused', EXIT.refused, `refused: ${reason}`);
}

/** Something the command needs does not answer. `remedy` is what to do about it. */
export class UnreachableError extends CliError {
  constructor(what: string, remedy: string, options?: { cause?: unknown }) {
    super('unreachable', EXIT.unreachable, `${what} does not answer: ${remedy}`, options);
  }
}

export interface Failure {
  readonly code: string;
  readonly exitCode: number;
  readonly message: string;
}

/** What to print and how to exit for whatever was thrown. */
export function failureOf(thrown: unknown): Failure {
  const away = temporalAway(thrown);
  const error = away
    ? new UnreachableError('Temporal', `check TEMPORAL_ADDRESS, or ask bot-bottle doctor (${away.message})`, {
        cause: thrown,
      })
    : thrown;
  if (error instanceof CliError)
    return { code: error.code, exitCode: error.exitCode, message: error.message };
  const remedy = remedyOf(error);
  const message = remedy === undefined ? messageOf(error) : `${messageOf(error)}: ${remedy}`;
  if (error instanceof BotBottleError) return { code: error.code, exitCode: exitCodeOf(error), message };
  return { code: 'failed', exitCode: EXIT.failed, message };
}

/** For what the system says, or SQLite, and no code of ours has put into words. */
function remedyOf(error: unknown): string | undefined {
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      return 'make room on the disk of $BOT_BOTTLE_HOME; bot-bottle gc --dry-run says what takes it';
    case 'EACCES':
      return 'use the account that it belongs to, or another BOT_BOTTLE_HOME';
    default:
      return undefined;
  }
}

/** gRPC's status codes. */
const AWAY: readonly unknown[] = [/* DEADLINE_EXCEEDED */ 4, /* UNAVAILABLE */ 14];

/**
 * The error that says so: the client's, or that of the worker's native connection. Neither is told by its class: who
 * only wants to read the help should not wait for Temporal's packages.
 */
function temporalAway(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  // The client wraps those of most calls.
  if (error.name === 'ServiceError') return temporalAway(error.cause);
  if (error.name === 'TransportError') return error;
  const isGrpc = 'details' in error && typeof error.details === 'string' && 'metadata' in error;
  return isGrpc && 'code' in error && AWAY.includes(error.code) ? error : undefined;
}

function exitCodeOf(error: BotBottleError): number {
  if (error instanceof InvalidInputError) return EXIT.usage;
  if (isNotFound(error)) return EXIT.notFound;
  return error.away ? EXIT.unreachable : EXIT.failed;
}
