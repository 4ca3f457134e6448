import { InvalidInputError } from './errors.js';

const MS_PER_UNIT = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,11})(ms|s|m|h|d)$/;

/** `500ms`, `20s`, `30m`, `2h`, `7d` in milliseconds; a unit is required, so that nobody guesses. */
export function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  if (match === null) throw new InvalidInputError('expected a duration such as 500ms, 20s, 30m, 2h or 7d');
  const ms = Number(match[1]) * MS_PER_UNIT[match[2] as keyof typeof MS_PER_UNIT];
  // Timers of Node and of Temporal's UI get strange beyond a few weeks; a year is a typing mistake.
  if (ms > 366 * MS_PER_UNIT.d) throw new InvalidInputError('a duration of more than a year');
  return ms;
}

/** The shortest text that `parseDuration` reads as exactly this many milliseconds. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (ms > 0 && ms % MS_PER_UNIT[unit] === 0) return `${ms / MS_PER_UNIT[unit]}${unit}`;
  }
  return `${ms}ms`;
}
