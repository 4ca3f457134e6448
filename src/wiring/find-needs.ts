import { BotBottleError, InvalidInputError } from '../domain/errors.js';

/** What a start needs and does not have, all of it: each problem says what to do about it. */
export class MissingNeedsError extends InvalidInputError {
  constructor(
    readonly problems: readonly string[],
    options?: { cause?: unknown },
  ) {
    super(
      problems.length === 1 ? problems.join('') : ['nothing was started:', ...problems].join('\n  '),
      options,
    );
  }
}

type Finders = Readonly<Record<string, () => unknown>>;
type Found<T extends Finders> = { readonly [Name in keyof T]: Awaited<ReturnType<T[Name]>> };

/**
 * Looks for everything that a start stands on, side by side, before any of it is started.
 * @param finders by the name that what they find gets; one that finds nothing throws
 * @throws MissingNeedsError with every problem once, in the finders' order; what is no `BotBottleError` as it is
 */
export async function findNeeds<T extends Finders>(finders: T): Promise<Found<T>> {
  const results = await Promise.allSettled(
    Object.entries(finders).map(async ([name, find]) => [name, await find()] as const),
  );
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  const fault = reasons.find((reason) => !(reason instanceof BotBottleError));
  if (fault !== undefined) throw fault;
  if (reasons.length > 0)
    throw new MissingNeedsError([...new Set(reasons.flatMap(problemsOf))], { cause: reasons[0] });
  const found = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  // Each name has what its own finder answered.
  return Object.fromEntries(found) as unknown as Found<T>;
}

function problemsOf(reason: unknown): readonly string[] {
  if (reason instanceof MissingNeedsError) return reason.problems;
  return reason instanceof Error ? [reason.message] : [];
}
