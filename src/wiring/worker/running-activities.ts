import { eachActivity } from '../../activities/base/each-activity.js';

/** Which activities run in this process, for a log line. */
export class RunningActivities {
  readonly #running = new Map<object, string>();
  #ended = new Set<string>();

  /** The same activities, each noted while it runs. */
  watch<T extends object>(activities: T): T {
    return eachActivity(activities, (run, name) => async (...args) => {
      const mark = {};
      this.#running.set(mark, `${name}${runOf(args[0])}`);
      try {
        return await run(...args);
      } finally {
        this.#ended.add(this.#running.get(mark) ?? name);
        this.#running.delete(mark);
      }
    });
  }

  /** What ran at any time since this was last asked. */
  since(): string[] {
    const names = new Set([...this.#running.values(), ...this.#ended]);
    this.#ended = new Set();
    return [...names].sort();
  }
}

/** ` of <slug>`, where an activity is told of a run. */
function runOf(input: unknown): string {
  const slug = typeof input === 'object' && input !== null && 'slug' in input ? input.slug : undefined;
  return typeof slug === 'string' ? ` of ${slug}` : '';
}
