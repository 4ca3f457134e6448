/** Computes without a pause. @param rounds of a loop that does nothing */
export function busy(rounds: number): Promise<number> {
  let left = rounds;
  while (left > 0) left -= 1;
  return Promise.resolve(left);
}
