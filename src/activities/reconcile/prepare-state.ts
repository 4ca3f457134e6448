import type { ListCursor, ReconcileState, WatchedRun } from '../../domain/upkeep/reconcile.js';
import { freshCursor, resumed } from './list-cursor.js';
import type { KnownRun } from './plan-findings.js';

/**
 * The state a pass begins with: what is served no longer and runs that have ended are forgotten. A run that is new, or
 * whose pull request is, has its repository's comments read from its trigger on: until now nobody knew that they matter.
 * @param runs those that go on
 */
export function preparedState(
  state: ReconcileState,
  sources: readonly string[],
  runs: readonly KnownRun[],
): ReconcileState {
  const ids = Object.fromEntries(Object.entries(state.ids).filter(([name]) => sources.includes(name)));
  const moved = Object.values(ids)
    .map(movedName)
    .filter((name) => name in state.lists);
  const lists = Object.fromEntries(
    [...sources, ...moved].map((name) => [name, resumed(state.lists[name] ?? freshCursor(null))] as const),
  );
  const comments: Record<string, ListCursor> = {};
  const watched: Record<string, WatchedRun> = {};
  const pulls = [...state.pulls];
  for (const { row, triggerAt } of runs) {
    const before = state.runs[row.slug];
    const isNew = before?.pr !== row.prNumber;
    watched[row.slug] = isNew ? { pr: row.prNumber, head: null, remarks: {} } : before;
    if (row.repoId === null) continue;
    const key = String(row.repoId);
    const cursor = comments[key] ?? state.comments[key];
    comments[key] = isNew ? from(cursor, triggerAt) : (cursor ?? freshCursor(triggerAt));
    if (isNew && row.prNumber !== null) pulls.push({ repoId: row.repoId, number: row.prNumber });
  }
  const wanted = new Map(
    pulls
      .filter(({ repoId }) => comments[String(repoId)] !== undefined)
      .map((pull) => [`${String(pull.repoId)}#${String(pull.number)}`, pull]),
  );
  return {
    ...state,
    lists,
    ids,
    comments: Object.fromEntries(Object.entries(comments).map(([key, cursor]) => [key, resumed(cursor)])),
    runs: watched,
    pulls: [...wanted.values()],
  };
}

/** What the list of a repository is kept under that is no longer where `FORGE_REPOS` names it. */
export function movedName(repoId: number): string {
  return `repository ${String(repoId)}`;
}

/** From the first page on: what was on earlier ones may concern the new run. */
function from(cursor: ListCursor | undefined, since: number): ListCursor {
  return freshCursor(Math.min(cursor?.since ?? since, since));
}

/** Everything once, beginning with `first`, or with what would follow it were it still there. */
export function inTurn<T>(items: readonly T[], nameOf: (item: T) => string, first: string | null): T[] {
  const sorted = [...items].sort((a, b) => compare(nameOf(a), nameOf(b)));
  if (first === null) return sorted;
  const at = sorted.findIndex((item) => compare(nameOf(item), first) >= 0);
  return at < 0 ? sorted : [...sorted.slice(at), ...sorted.slice(0, at)];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
