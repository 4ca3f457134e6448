import { join } from 'node:path';
import { z } from 'zod';
import { readJson } from './read-json.js';
import { writeWhole } from '../system/write-file.js';

const schema = z.object({
  /** Epoch milliseconds: when it was written. */
  at: z.number(),
  /** Milliseconds, over the last minute. */
  p99Ms: z.number(),
  maxMs: z.number(),
  /** The longest since the worker started, when it was more than a second. */
  worst: z.object({ lagMs: z.number(), at: z.number(), underWay: z.array(z.string()) }).nullable(),
});
export type LoopLag = z.infer<typeof schema>;

/** How long the worker's event loop was late, as the worker last wrote it down. */
export function loopLagFile(home: string): {
  read(): Promise<LoopLag | undefined>;
  write(lag: LoopLag): Promise<void>;
} {
  const file = join(home, 'loop-lag.json');
  return {
    read: () => readJson(file, schema),
    write: (lag) => writeWhole(file, JSON.stringify(lag), { mode: 0o600, durable: false }),
  };
}
