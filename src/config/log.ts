/** Structured logs, one JSON object a line, from which known secrets are blanked and control characters escaped. */
import { pino } from 'pino';
import type { Logger } from 'pino';
import { escapeJson } from '../domain/text/escape.js';
import { redact } from '../domain/text/redact.js';

export type { Logger };

export interface LogOptions {
  readonly level: string;
  /** Which process writes: `worker`, `webhook`. */
  readonly name: string;
  /** Exact values that never appear in a line, whatever field they came in; asked for each line, and only ever more. */
  readonly secrets: () => ReadonlySet<string>;
  /** Default: standard error, so that `--json` output on standard output stays clean. */
  readonly destination?: { write(line: string): unknown };
}

export function createLogger(options: LogOptions): Logger {
  const clean = redactAll(options.secrets);
  const destination = options.destination ?? process.stderr;
  return pino(
    {
      level: options.level,
      name: options.name,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => destination.write(`${escapeJson(clean(line.trimEnd()))}\n`) },
  );
}

/** The same for values that become more. */
function redactAll(secrets: LogOptions['secrets']): (text: string) => string {
  let known = 0;
  let clean = redact(new Set());
  return (text) => {
    const now = secrets();
    if (now.size !== known) {
      known = now.size;
      clean = redact(now);
    }
    return clean(text);
  };
}
