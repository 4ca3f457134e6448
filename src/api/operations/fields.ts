import { z } from 'zod';

/** A number from a query, whose values are texts. */
export function number(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'expected a number')
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

export const SLUG = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'expected a slug');
export const ONE_RUN = z.strictObject({ slug: SLUG });
export const LIMIT = number(1, 200).default(50);
