/** The file, below the home, that says that the worker has died at this point. */
export function markOf(point: string): string {
  return `killed-at-${point.replace(':', '-')}`;
}
