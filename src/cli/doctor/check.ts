import { messageOf } from '../../domain/base/message-of.js';

/** One question `doctor` asks, and its answer. */
export interface Check {
  readonly name: string;
  run(): Promise<Finding>;
}

export interface Finding {
  readonly state: 'ok' | 'warn' | 'fail';
  /** What is there, with its version. */
  readonly found: string;
  /** What to do, where something is to be done. */
  readonly remedy?: string;
}

export type CheckReport = Finding & { readonly name: string };

/** A probe that hangs is an answer too. */
const CHECK_TIMEOUT_MS = 10_000;

/** All checks at once, reported in their order; one that throws or hangs fails and spoils no other. */
export function runChecks(
  checks: readonly Check[],
  timeoutMs: number = CHECK_TIMEOUT_MS,
): Promise<CheckReport[]> {
  return Promise.all(
    checks.map(async (check) => ({ name: check.name, ...(await finding(check, timeoutMs)) })),
  );
}

async function finding(check: Check, timeoutMs: number): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Finding>((resolve) => {
    timer = setTimeout(
      () => resolve({ state: 'fail', found: `no answer within ${timeoutMs / 1000} s` }),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([check.run(), late]);
  } catch (error) {
    return { state: 'fail', found: inOneLine(messageOf(error)) };
  } finally {
    clearTimeout(timer);
  }
}

/** A row has one line, and a configuration may be wrong in several. */
function inOneLine(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join('; ');
}

export const ok = (found: string): Finding => ({ state: 'ok', found });
export const warn = (found: string, remedy: string): Finding => ({ state: 'warn', found, remedy });
export const fail = (found: string, remedy: string): Finding => ({ state: 'fail', found, remedy });
