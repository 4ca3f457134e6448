import { closing } from './action.js';
import type { CliDeps } from './deps.js';
import type { DashboardDesk, Orchestrator } from './orchestrator.js';

/**
 * Does the work at a desk over rows. Temporal's client takes longer to load than all the rest, and is not waited for before
 * something is seen: the first call that needs it loads it, and one that fails is followed by another try.
 */
export async function withDashboardDesk(
  deps: Pick<CliDeps, 'proposals' | 'orchestrator'>,
  work: (desk: DashboardDesk) => Promise<void>,
): Promise<void> {
  let opening: Promise<Orchestrator> | undefined;
  const opened = (): Promise<Orchestrator> => {
    opening ??= deps.orchestrator({ retries: false }).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  try {
    await closing(deps.proposals(), (rows) =>
      work({
        ...rows,
        live: async (run) => (await opened()).live(run),
        decide: async (row, decision) => (await opened()).decide(row, decision),
      }),
    );
  } finally {
    const orchestrator = await opening?.catch(() => undefined);
    await orchestrator?.close();
  }
}
