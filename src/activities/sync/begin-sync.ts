import { localSubject, type RepoRef } from '../../domain/forge/issue.js';
import { operatorOrUnknown } from '../../domain/forge/operator-name.js';
import type { ModelBudget } from '../../domain/run/model-use.js';
import { pauseOf, pauseText } from '../../domain/run/pause.js';
import type { SyncRun } from '../../domain/sync/sync.js';
import { typedFailures } from '../base/failures.js';
import type { HomePorts } from '../ports/home-ports.js';
import { dayBudget } from '../prepare/day-budget.js';
import { recordCommand } from '../rows/record-rows.js';
import { writeTurnRows } from '../rows/turn-rows.js';

export type BegunSync =
  | { readonly kind: 'begun'; readonly budget: ModelBudget }
  | { readonly kind: 'refused'; readonly reason: string };

/** On `bot-bottle`, the home machine: the database. */
export interface SyncRowActivities {
  /** Before anything is made for it. */
  readonly mayBeginSync: (fork: RepoRef) => Promise<BegunSync>;
  readonly beginSync: (input: { readonly run: SyncRun; readonly host: string }) => Promise<BegunSync>;
}

export function createSyncRowActivities(ports: HomePorts): SyncRowActivities {
  return typedFailures({
    mayBeginSync: (fork) => mayBegin(ports, fork),
    beginSync: ({ run, host }) => beginSync(ports, run, host),
  });
}

/** Not while new turns are paused, or when the day's budget is used up. */
async function mayBegin(ports: HomePorts, fork: RepoRef): Promise<BegunSync> {
  const pause = pauseOf(await ports.database.pauses.all(), fork);
  if (pause !== undefined) return { kind: 'refused', reason: pauseText(pause) };
  const day = await dayBudget(ports);
  if (day.kind === 'spent') return { kind: 'refused', reason: day.reason };
  return { kind: 'begun', budget: day.budget };
}

/** The rows of a run without an issue. */
async function beginSync(ports: HomePorts, run: SyncRun, host: string): Promise<BegunSync> {
  const { slug, workflowId, order, agentBranch, prepared } = run;
  const { fork, upstream, manifest, by } = order;
  const before = await mayBegin(ports, fork);
  if (before.kind === 'refused') return before;
  const now = ports.clock.now();
  const name = manifest ?? 'sync';
  const forkName = `${fork.owner}/${fork.repo}`;
  const trigger = { agent: name, bottles: [], actor: '', actAt: now, actId: 0, textHash: '', pull: null };
  await writeTurnRows(
    ports,
    {
      ...{ workflowId, slug, turn: 1, trigger, host, repoId: null, subject: localSubject(slug) },
      ...{ cause: { kind: 'first' }, session: 'first', references: [], omitted: 0, limit: null },
      ...{ prNumber: null, dayIsLifted: false },
    },
    {
      row: undefined,
      issueUrl: forkName,
      agent: { name, gitUser: prepared.gitUser },
      ...{ provider: prepared.provider, bottleNames: prepared.bottleNames, promptRef: prepared.promptRef },
      ...{ branch: agentBranch, dropped: [], source: null, shadowed: false },
    },
  );
  await recordCommand(ports, {
    ...{ id: `${slug}/start`, kind: 'start', slug, workflowId, at: now },
    who: operatorOrUnknown(by),
    detail: { fork: forkName, upstream, manifest },
  });
  // Again, after its row is written: `changePause` goes by that.
  return mayBegin(ports, fork);
}
