import { workflowIdOf } from '../domain/forge/issue.js';
import { EVERYWHERE, pauseOf, pauseText } from '../domain/run/pause.js';
import { identityOf, type ForgeStateRow } from '../domain/run/rows.js';
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
  await Promise.resolve();
  return database.transaction(() => {
    const { pauses, operatorLog, forgeState } = database;
    const changed = action === 'pause' ? pauses.add({ scope, since: at, who }) : pauses.remove(scope);
    operatorLog.append({ id, at, who, kind: action, detail: { scope }, slug: null, workflowId });
    const now = pauses.all();
    const mustHear = (row: ForgeStateRow): boolean =>
      isIn(row, scope) &&
      (action === 'pause' ? isOnItsWay(row) : mayWait(row) && pauseOf(now, row) === undefined);
    return {
      changed,
      pauses: now,
      tell: forgeState
        .all()
        .filter(mustHear)
        .map((row) => workflowIdOf(identityOf(row, database.runs.run(row.slug)))),
      reason:
        now
          .filter((pause) => pause.scope === scope)
          .map(pauseText)
          .at(0) ?? null,
    };
  });
}

function isIn({ owner, repo }: ForgeStateRow, scope: string): boolean {
  return scope === EVERYWHERE || scope === `${owner}/${repo}`.toLowerCase();
}

/** From its preparation to its end: whether its agent has started, only its workflow knows. */
function isOnItsWay({ status }: ForgeStateRow): boolean {
  return status === 'running';
}

/** Frozen by a pause, or about to be. */
function mayWait(row: ForgeStateRow): boolean {
  return isOnItsWay(row) || (row.status === 'frozen' && row.reason === 'paused');
}
