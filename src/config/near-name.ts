/** Below this many letters, two slips make another word. */
const LONG = 12;

/** Which of the names was probably meant: one slip away, or two where the name is long. Upper and lower case are the same. */
export function nearName(name: string, names: readonly string[]): string | undefined {
  const given = name.toUpperCase();
  const slips = given.length < LONG ? [0, 1] : [0, 1, 2];
  return slips.flatMap((most) => names.filter((known) => isNear(given, known, most)))[0];
}

/** Whether so many slips at most lead from one to the other: a letter too many, one too few, a wrong one, or two swapped. */
function isNear(a: string, b: string, slips: number, fromA = 0, fromB = 0): boolean {
  if (Math.abs(a.length - fromA - (b.length - fromB)) > slips) return false;
  let [i, j] = [fromA, fromB];
  while (i < a.length && a[i] === b[j]) {
    i += 1;
    j += 1;
  }
  if (i === a.length && j === b.length) return true;
  if (slips === 0) return false;
  const isNearBehind = (inA: number, inB: number): boolean => isNear(a, b, slips - 1, i + inA, j + inB);
  const isSwapped = a[i] === b[j + 1] && a[i + 1] === b[j];
  return isNearBehind(1, 0) || isNearBehind(0, 1) || isNearBehind(1, 1) || (isSwapped && isNearBehind(2, 2));
}
