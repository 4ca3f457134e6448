import { imageCommand } from '../../domain/bottle/bottle-image.js';
import { BotBottleError, BottleRuntimeError } from '../../domain/base/errors.js';

/** What dockerode rejects with: an HTTP status of the engine, or a code of the connection. Any part may be missing. */
interface EngineFault {
  readonly statusCode: number | undefined;
  readonly code: string | undefined;
  readonly message: string;
}

const MAX_MESSAGE = 1000;
/** Of the system, EHOSTUNREACH or EAI_AGAIN; not one of Node's own, ERR_STREAM_PREMATURE_CLOSE. */
const ERRNO = /^E(?!RR_)[A-Z0-9_]+$/;
const FINAL_ERRNOS = new Set(['EACCES', 'EPERM']);

function faultOf(error: unknown): EngineFault {
  if (!(error instanceof Error)) return { statusCode: undefined, code: undefined, message: String(error) };
  const status = 'statusCode' in error ? error.statusCode : undefined;
  const code = 'code' in error ? error.code : undefined;
  return {
    statusCode: typeof status === 'number' ? status : undefined,
    code: typeof code === 'string' ? code : undefined,
    message: error.message.trim().slice(0, MAX_MESSAGE),
  };
}

/** HTTP status of the engine's answer, also from under our own error; `undefined` when it was not an answer. */
export function statusOf(error: unknown): number | undefined {
  return faultOf(error instanceof BotBottleError ? error.cause : error).statusCode;
}

/**
 * Any failure of an engine call as the port's error, with what to do about it.
 * @param doing what was tried, as in "start bb-x-agent"
 */
export function toRuntimeError(error: unknown, doing: string): BotBottleError {
  if (error instanceof BotBottleError) return error;
  const fault = faultOf(error);
  const retryable = isRetryable(fault);
  // An answer, whatever its status, may be about what an agent made.
  const away = retryable && fault.statusCode === undefined;
  return new BottleRuntimeError(`cannot ${doing}: ${explain(fault)}`, retryable, { cause: error, away });
}

/** Runs an engine call; `ignore` are statuses that mean there is nothing left to do. */
export async function engineCall<T>(doing: string, call: () => Promise<T>): Promise<T>;
export async function engineCall<T>(
  doing: string,
  call: () => Promise<T>,
  ignore: readonly number[],
): Promise<T | undefined>;
export async function engineCall<T>(
  doing: string,
  call: () => Promise<T>,
  ignore: readonly number[] = [],
): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    const status = statusOf(error);
    if (status !== undefined && ignore.includes(status)) return undefined;
    throw toRuntimeError(error, doing);
  }
}

/** Node's own shape of an abort, with the signal's reason as cause. */
export function abortError(signal: AbortSignal, doing: string): Error {
  const error = new Error(`${doing} was aborted`, { cause: signal.reason });
  error.name = 'AbortError';
  return error;
}

function explain(fault: EngineFault): string {
  switch (fault.code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
      return `no Docker engine answers (${fault.message}): start it, or set DOCKER_HOST`;
    case 'ENOTFOUND':
      return `DOCKER_HOST is where no Docker engine can be (${fault.message}): set it to the engine's socket, such as unix:///var/run/docker.sock; ssh is not spoken`;
    case 'EACCES':
    case 'EPERM':
      return `the Docker socket is not open to this user (${fault.message}): add the user to the docker group and log in again`;
    default:
  }
  const missing = /no such image(?:: (\S+))?/i.exec(fault.message);
  if (missing !== null) return `${fault.message}: run ${imageCommand(missing[1] ?? '')}`;
  return fault.message;
}

function isRetryable({ statusCode, code, message }: EngineFault): boolean {
  if (statusCode !== undefined) return statusCode >= 500;
  if (code !== undefined && ERRNO.test(code)) return !FINAL_ERRNOS.has(code);
  return code !== 'ABORT_ERR' && /socket hang up|aborted|premature close/i.test(message);
}
