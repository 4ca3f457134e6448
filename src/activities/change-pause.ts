import { EVERYWHERE, pauseOf, pauseText } from '../domain/run/pause.js';
import type { ForgeStateRow } from '../domain/run/rows.js';
import { forkOfSync } from '../domain/sync/sync.js';
import type { HomePorts } from './ports/home-ports.js';
import type { ChangePauseInput, PauseChange } from './ports/inputs.js';

/**
 * Writes the pause or takes it away, and answers which runs have to hear of it, in one transaction. A turn that is
 * prepared has its row before it asks for pauses (`prepareTurn`), so whichever comes first: a run either finds what is
 * so now, or is among those that are told. Repeating it tells the same.
 */
export async function changePause(
  { database }: Pick<HomePorts, 'database'>,
  input: ChangePauseInput,
): Promise<PauseChange> {
  const { id, workflowId, action, scope, who, at } = input;
  return database.transaction(async ({ pauses, operatorLog, forgeState }) => {
    const changed = await (action === 'pause' ? pauses.add({ scope, since: at, who }) : pauses.remove(scope));
    await operatorLog.append({ id, at, who, kind: action, detail: { scope }, slug: null, workflowId });
    const now = await pauses.all();
    const mustHear = (row: ForgeStateRow): boolean =>
      isIn(row, scope) &&
      (action === 'pause' ? isOnItsWay(row) : mayWait(row) && pauseOf(now, row) === undefined);
    return {
      changed,
      pauses: now,
      tell: (await forgeState.living()).filter(mustHear).map(({ workflowId: id }) => id),
      reason:
        now
          .filter((pause) => pause.scope === scope)
          .map(pauseText)
          .at(0) ?? null,
    };
  });
}

/** A sync's row has no repository: its workflow has that of the fork. */
function isIn({ owner, repo, workflowId }: ForgeStateRow, scope: string): boolean {
  return [EVERYWHERE, `${owner}/${repo}`.toLowerCase(), forkOfSync(workflowId)].includes(scope);
}

/** From its preparation to its end: whether its agent has started, only its workflow knows. */
function isOnItsWay({ status }: ForgeStateRow): boolean {
  return status === 'running';
}

/** Frozen by a pause, or about to be. */
function mayWait(row: ForgeStateRow): boolean {
  return isOnItsWay(row) || (row.status === 'frozen' && row.reason === 'paused');
}
