import type { RejectionRow } from '../../domain/run/rows.js';
import { ownActReason } from '../../domain/forge/trigger.js';
import type { RightsProblem } from './probes.js';

const DAYS = 7;
const DAY_MS = 86_400_000;

/**
 * Triggers of late that were the bot's own acts: whoever labels and assigns uses its account.
 * @param rejections newest first
 * @param now epoch milliseconds
 */
export function ownActs(bot: string, rejections: readonly RejectionRow[], now: number): RightsProblem[] {
  const own = rejections.filter(({ at, reason }) => at > now - DAYS * DAY_MS && reason === ownActReason(bot));
  const [latest] = own;
  if (latest === undefined) return [];
  const message =
    `${bot} itself has labelled or assigned, ${String(own.length)} times in ${String(DAYS)} days, the last time on ` +
    `${latest.subject}: that starts nothing, so whoever does it needs another account than the bot's`;
  return [{ severity: 'warning', message }];
}
