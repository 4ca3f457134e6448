/** What worker and webhook say to the `up` that started them, by the channel of the fork; alone they say nothing. */
import { inspect } from 'node:util';
import { failureOf, type Failure } from '../../cli/base/errors.js';
import { printProblem } from '../../cli/base/output.js';
import { secretsRead } from '../../config/secrets.js';
import { redact } from '../../domain/text/redact.js';
import { MissingNeedsError } from '../find-needs.js';

/** From a part to `up`. */
export type PartMessage =
  /** Everything that it stands on is there. */
  | { readonly kind: 'found' }
  /** @property at where it listens, if it does */
  | { readonly kind: 'serving'; readonly at: string }
  /** It ends, for a reason that it knows. */
  | ({ readonly kind: 'failed'; readonly problems: readonly string[] | null } & Failure)
  /** An error that nobody caught. */
  | { readonly kind: 'crashed'; readonly message: string };

/** What `up` answers to `found`. */
export const MAY_START = 'start';

/** Environment variable that `up` starts its parts with; another parent's channel is none of ours. */
export const PART_OF_UP = 'BOT_BOTTLE_PART_OF_UP';

export function isPartOfUp(): boolean {
  return process.env[PART_OF_UP] !== undefined && process.send !== undefined;
}

/** Resolves when it is on its way, or `up` is gone. */
export function tellUp(message: PartMessage): Promise<void> {
  return new Promise((resolve) => {
    if (isPartOfUp() && process.connected)
      process.send?.(message, undefined, undefined, () => {
        resolve();
      });
    else resolve();
  });
}

/** Says that all needs were found and waits until the other parts' were, too; without an `up` at once. */
export async function untilMayStart(): Promise<void> {
  if (!isPartOfUp()) return;
  const word = new Promise<void>((resolve) => {
    process.once('message', () => {
      resolve();
    });
    // Nobody is left to start for.
    process.once('disconnect', () => process.exit());
  });
  await tellUp({ kind: 'found' });
  await word;
  process.removeAllListeners('disconnect');
}

/** Why it ends: `up` prints it. */
export async function tellFailure(error: unknown): Promise<number> {
  const { code, exitCode, message } = failureOf(error);
  const problems = error instanceof MissingNeedsError ? error.problems : null;
  await tellUp({ kind: 'failed', code, exitCode, message: withoutSecrets(message), problems });
  return exitCode;
}

/** An error that nobody caught ends the process as ever, but what is printed of it is escaped and has no secret. */
export function endOnUncaught(): void {
  // Its reader may be an `up` that was killed, or a terminal that was closed.
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', (error: unknown) => {
    printProblem(process, `bot-bottle: crashed: ${withoutSecrets(inspect(error))}`);
    const message = error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
    void tellUp({ kind: 'crashed', message: withoutSecrets(message) }).then(() => process.exit(1));
  });
}

function withoutSecrets(text: string): string {
  return redact(secretsRead())(text);
}
