export type Activity = (...input: unknown[]) => Promise<unknown>;

/** The same activities, each as `wrap` makes it. */
export function eachActivity<T extends object>(
  activities: T,
  wrap: (work: Activity, name: string) => Activity,
): T {
  const wrapped = Object.entries(activities).map(([name, work]: [string, Activity]) => [
    name,
    wrap(work, name),
  ]);
  return Object.fromEntries(wrapped) as T;
}
