import { writeSync } from 'node:fs';
import type { Redact } from './redact.js';

export type BundleLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

const STDERR = 2;

/** JSON lines on standard error, written at once so that the last one before an exit is not lost. */
export function bundleLog(redact: Redact): BundleLog {
  return (level, message, fields = {}) => {
    const line = redact(JSON.stringify({ level, time: Date.now(), message, ...fields }));
    try {
      writeSync(STDERR, `${line}\n`);
    } catch {
      // Nobody reads: no reason to stop serving.
    }
  };
}

export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  return { error: error.message, stack: error.stack, ...cause };
}
