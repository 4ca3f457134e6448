import { loadConfig } from '../../../src/config/load-config.js';
import { SWEEP_MIN_AGE_MS } from '../../../src/domain/upkeep/sweep-decisions.js';
import { janitor } from '../../../src/wiring/worker/janitor.js';
import type { Stack } from './stack.js';

/** What the sweeper would do on the stack's host if all of it were old and found twice: an oracle, nothing is done. */
export async function orphansOf(stack: Stack): Promise<string[]> {
  const { config } = loadConfig(stack.env);
  const inspector = await janitor(config, () => Date.now() + 2 * SWEEP_MIN_AGE_MS);
  try {
    return (await inspector.orphans()).map(
      (action) => `${action.kind} ${action.kind === 'remove' ? action.run.slug : action.slug}`,
    );
  } finally {
    await inspector.close();
  }
}
