/** What a benchmark says: one number against a goal, and what it was made of. */

export interface Figure {
  readonly value: number;
  readonly goal: number;
  readonly unit: 'ratio' | 'events' | 'ms' | 'MiB' | 'KiB' | 'rows/s' | 'processes' | 'activities' | 'timers';
  /** Which side of the goal is good. */
  readonly better: 'more' | 'less';
  /** What the ratio was made of, medians over the rounds; `null` for a plain count. */
  readonly parts: {
    readonly measured: number;
    readonly floor: number;
    readonly unit: 'ms' | '/s';
  } | null;
  /** The value of every round, in order: how noisy it was. */
  readonly rounds: readonly number[];
  /** More lines for a person. */
  readonly notes: readonly string[];
}

/** One interleaved round: the floor and the product, measured right after each other. */
export interface Round {
  readonly measured: number;
  readonly floor: number;
}

/** The median of the rounds' own ratios: what loads the machine for a while loads both sides of a round. */
export function ratioFigure(
  rounds: readonly Round[],
  how: Pick<Figure, 'goal' | 'better'> & {
    readonly unit: 'ms' | '/s';
    readonly notes?: readonly string[];
  },
): Figure {
  const ratios = rounds.map(({ measured, floor }) => measured / floor);
  return {
    value: median(ratios),
    goal: how.goal,
    unit: 'ratio',
    better: how.better,
    parts: {
      measured: median(rounds.map((round) => round.measured)),
      floor: median(rounds.map((round) => round.floor)),
      unit: how.unit,
    },
    rounds: ratios,
    notes: [
      `measured/floor: ${rounds.map(({ measured, floor }) => `${short(measured)}/${short(floor)}`).join(' ')}`,
      ...(how.notes ?? []),
    ],
  };
}

/** A number by itself: the median of the rounds, or the only one there is. */
export function plainFigure(
  rounds: readonly number[],
  { notes = [], ...how }: Pick<Figure, 'goal' | 'unit' | 'better'> & { readonly notes?: readonly string[] },
): Figure {
  return { ...how, value: median(rounds), parts: null, rounds: rounds.length > 1 ? rounds : [], notes };
}

/** Of an even number of values the mean of the middle two. Errors: `RangeError` for none, or for what is no number. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined || !sorted.every(Number.isFinite))
    throw new RangeError('no median: nothing was measured');
  return (lower + upper) / 2;
}

export function isMet({ value, goal, better }: Figure): boolean {
  return better === 'more' ? value >= goal : value <= goal;
}

/** Lines for a person. */
export function describeFigure(name: string, figure: Figure): string {
  const { value, goal, better, parts, rounds, notes } = figure;
  const verdict = isMet(figure) ? 'met' : 'MISSED';
  const made =
    parts === null
      ? ''
      : ` = measured ${short(parts.measured)} ${parts.unit} / floor ${short(parts.floor)} ${parts.unit}` +
        ` (medians)`;
  const spread =
    rounds.length === 0
      ? ''
      : `\n    rounds: ${rounds.map(short).join(' ')} (from ${short(Math.min(...rounds))} to ${short(Math.max(...rounds))})`;
  const lines = notes.map((note) => `\n    ${note.replaceAll('\n', '\n    ')}`).join('');
  return `${name}: ${short(value)} (goal ${better === 'more' ? '>=' : '<='} ${short(goal)}: ${verdict})${made}${spread}${lines}`;
}

export function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) >= 100 ? 0 : 2);
}
