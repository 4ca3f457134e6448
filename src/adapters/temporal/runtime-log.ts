import { DefaultLogger, Runtime, type LogEntry } from '@temporalio/worker';

/** What the SDK has to say goes where the worker's own log goes. */
export interface LogSink {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** Expected of workers that run activities only, and true of three of our four. */
const EXPECTED = 'No workflows registered';

/** Once a process, before the first worker. Its chatter about worker states is left out. */
export function installRuntimeLog(sink: LogSink): void {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }: LogEntry) => {
    if (message.startsWith(EXPECTED)) return;
    const fields = { sdk: true, ...meta };
    if (level === 'ERROR') sink.error(fields, message);
    else sink.warn(fields, message);
  });
  Runtime.install({ logger });
}
