import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';
import { InvalidInputError } from '../../domain/base/errors.js';
import type { ListenAddress } from '../../domain/base/listen-address.js';
import type { Log } from '../../domain/base/log.js';

/** Expected of workers that run activities only, and true of three of our four. */
const EXPECTED = 'No workflows registered';

/**
 * Once a process, before the first worker. Its chatter about worker states is left out.
 * @param sink the worker's own log, where the SDK's goes
 * @param metricsAt where `/metrics` is served; `null`: nowhere
 * Errors: `InvalidInputError` when that address is taken
 */
export function installRuntime(sink: Log, metricsAt: ListenAddress | null): void {
  const logger = new DefaultLogger('WARN', sdkLog(sink));
  // As Prometheus wants names and units.
  const naming = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  const telemetryOptions =
    metricsAt === null ? {} : { metrics: { prometheus: { bindAddress: bindAddress(metricsAt), ...naming } } };
  try {
    Runtime.install({ logger, telemetryOptions });
  } catch (cause) {
    if (metricsAt === null || !(cause instanceof Error)) throw cause;
    throw new InvalidInputError(`${cause.message}: set WORKER_METRICS_LISTEN to another address`, { cause });
  }
}

/** Of an error a log shows message and stack only as `err`; the SDK calls it `error`. */
export function sdkLog(sink: Log): (entry: LogEntry) => void {
  return ({ level, message, meta }) => {
    if (message.startsWith(EXPECTED)) return;
    const { error: err, ...others } = (meta ?? {}) as { readonly error?: unknown };
    const fields = { sdk: true, ...others, ...(err === undefined ? {} : { err }) };
    if (level === 'ERROR') sink.error(fields, message);
    else sink.warn(fields, message);
  };
}

function bindAddress({ host, port }: ListenAddress): string {
  // The SDK takes addresses only.
  const address = host === 'localhost' ? '127.0.0.1' : host;
  return `${address.includes(':') ? `[${address}]` : address}:${String(port)}`;
}
