import { BotBottleError, InvalidInputError } from '../domain/base/errors.js';

/** What a start needs and does not have, all of it: each problem says what to do about it. */
export class MissingNeedsError extends InvalidInputError {
  constructor(readonly problems: readonly string[]) {
    super(problems.length === 1 ? problems.join('') : ['nothing was started:', ...problems].join('\n  '));
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
  const looked = await Promise.all(
    Object.entries(finders).map(async ([name, find]) => {
      try {
        return { name, found: await find(), problems: [] };
      } catch (error) {
        if (!(error instanceof BotBottleError)) throw error;
        return { name, problems: error instanceof MissingNeedsError ? error.problems : [error.message] };
      }
    }),
  );
  const problems = new Set(looked.flatMap((one) => one.problems));
  if (problems.size > 0) throw new MissingNeedsError([...problems]);
  // Each name has what its own finder answered.
  return Object.fromEntries(looked.map(({ name, found }) => [name, found])) as unknown as Found<T>;
}
