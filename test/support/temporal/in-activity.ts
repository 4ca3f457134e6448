import { MockActivityEnvironment } from '@temporalio/testing';

/** Work as an activity does it, without a server. */
export function inActivity<T>(work: () => Promise<T>): Promise<T> {
  return new MockActivityEnvironment().run(work);
}
