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
  const error = temporalIsAway(thrown)
    ? new UnreachableError(
        'Temporal',
        `check TEMPORAL_ADDRESS, or ask bot-bottle doctor (${thrown.message})`,
        {
          cause: thrown,
        },
      )
    : thrown;
  if (error instanceof CliError)
    return { code: error.code, exitCode: error.exitCode, message: error.message };
  const message = messageOf(error);
  if (error instanceof BotBottleError) return { code: error.code, exitCode: exitCodeOf(error), message };
  return { code: 'failed', exitCode: EXIT.failed, message };
}

/** gRPC's status codes. */
const AWAY: readonly unknown[] = [/* DEADLINE_EXCEEDED */ 4, /* UNAVAILABLE */ 14];

/**
 * By the client's error, or by that of the worker's native connection. Neither is told by its class: who only wants to
 * read the help should not wait for Temporal's packages.
 */
export function temporalIsAway(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TransportError') return true;
  const isGrpc = 'details' in error && typeof error.details === 'string' && 'metadata' in error;
  return isGrpc && 'code' in error && AWAY.includes(error.code);
}

function exitCodeOf(error: BotBottleError): number {
  if (error instanceof InvalidInputError) return EXIT.usage;
  if (isNotFound(error)) return EXIT.notFound;
  return error.away ? EXIT.unreachable : EXIT.failed;
}
