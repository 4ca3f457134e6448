import { beating } from './beating.js';

/**
 * The activity of a schedule: not done while another one is under way, such as an attempt that was given up and has not
 * heard of it.
 * @param busy the answer while another one is under way
 */
export function oneAtATime<I extends readonly unknown[], T>(
  busy: T,
  work: (signal: AbortSignal, ...input: I) => Promise<T>,
): (...input: I) => Promise<T> {
  let underWay = false;
  return async (...input) => {
    if (underWay) return busy;
    underWay = true;
    return beating(async (signal) => {
      try {
        return await work(signal, ...input);
      } finally {
        underWay = false;
      }
    });
  };
}
