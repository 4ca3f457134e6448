import { expressionBuilder, type ExpressionWrapper, type Selectable, type SqlBool } from 'kysely';
import type { RepoRef, SubjectRef } from '../../domain/forge/issue.js';
import type { ForgeStateRow } from '../../domain/run/rows.js';
import type { ForgeStateStore } from '../../domain/run/stores.js';
import { stringList } from './json-column.js';
import type { StateDb, StateTables } from './state-tables.js';

type Stored = Selectable<StateTables['forgeState']>;
type Condition = ExpressionWrapper<StateTables, 'forgeState', SqlBool>;

const COLUMNS: Readonly<Record<keyof Stored, true>> = {
  ...{ forge: true, owner: true, repo: true, issueNumber: true, slug: true, workflowId: true, epoch: true },
  ...{ agentName: true, bottleNames: true, backendName: true, agentGitUser: true, prNumber: true },
  ...{ status: true, lastCheckinAt: true, phase: true, reason: true, repoId: true, host: true },
  ...{ branch: true, issueUrl: true, prUrl: true, updatedAt: true, destroyedAt: true },
};
const row = expressionBuilder<StateTables, 'forgeState'>();
const KEY = ['forge', 'owner', 'repo', 'issueNumber'] as const;
/** Named, not as all but one: that way there is an index for it. */
const LIVING = ['running', 'frozen'] as const;
/** Phases before the agent of a turn was heard of. */
const BEGINNING = ['launching', 'rehydrating'] as const;

/** Table `forge_state` [S0]. Errors: `StoreError` for a row whose JSON is corrupt. */
export function createForgeStateStore(db: StateDb): ForgeStateStore {
  const select = () => db.selectFrom('forgeState').selectAll();
  const all = async (query: ReturnType<typeof select>): Promise<ForgeStateRow[]> =>
    (await KEY.reduce((sorted, column) => sorted.orderBy(column), query).execute()).map(fromStored);
  const first = async (query: ReturnType<typeof select>): Promise<ForgeStateRow | undefined> =>
    (await all(query.limit(1)))[0];
  /**
   * Of conditions that exclude each other. Each by itself and without an order: with OR, UNION or ORDER BY SQLite may go
   * through every row in the order of the key instead of using the indexes.
   */
  const anyOf = async (conditions: readonly Condition[]): Promise<ForgeStateRow[]> => {
    const queries = conditions.map((condition) => select().where(condition));
    return (await queries.reduce((one, other) => one.unionAll(other)).execute()).map(fromStored);
  };
  return {
    upsert: async (row) => {
      const stored = toStored(row);
      await db
        .insertInto('forgeState')
        .values(stored)
        .onConflict((conflict) => conflict.columns(KEY).doUpdateSet(stored))
        .execute();
    },
    delete: async (subject) => {
      await db.deleteFrom('forgeState').where(isOf(subject)).execute();
    },
    get: (subject) => first(select().where(isOf(subject))),
    ofRun: (slug) => first(select().where('slug', '=', slug)),
    ofNumber: (subject, repoId) => anyOf(inRepository(subject, repoId).flatMap(hasNumber(subject))),
    ofNumberInAnyCase: (subject) => anyOf(hasNumber(subject)(isNamedAlike(subject))),
    ofBranch: (repo, repoId, branch) => anyOf(hasBranch(repo, repoId, branch)),
    holderOf: (workflowId) =>
      first(select().where('workflowId', '=', workflowId).where('status', 'in', LIVING)),
    livesIn: async (repoId) => {
      const query = db.selectFrom('forgeState').select('slug').where('status', 'in', LIVING);
      return (await query.where('repoId', '=', repoId).limit(1).executeTakeFirst()) !== undefined;
    },
    living: () => all(select().where('status', 'in', LIVING)),
    running: () => all(select().where('status', '=', 'running')),
    all: () => all(select()),
    checkedIn: async (slug, at, now) => {
      const whenNews = row.case().when('phase', 'in', BEGINNING);
      await db
        .updateTable('forgeState')
        .set({
          lastCheckinAt: at,
          phase: whenNews.then('running').else(row.ref('phase')).end(),
          updatedAt: whenNews.then(now).else(row.ref('updatedAt')).end(),
        })
        .where('slug', '=', slug)
        .where('status', '=', 'running')
        .where(row.or([row('lastCheckinAt', 'is', null), row('lastCheckinAt', '<', at)]))
        .execute();
    },
  };
}

function isOf({ forge, owner, repo, number }: SubjectRef): Condition {
  return row.and({ forge, owner, repo, issueNumber: number });
}

function hasNumber({ number }: SubjectRef): (isHere: Condition) => Condition[] {
  return (isHere) => [
    row.and([isHere, row('issueNumber', '=', number)]),
    row.and([isHere, row('prNumber', '=', number), row('issueNumber', '<>', number)]),
  ];
}

/** No index has names without case: it goes through the rows of the forge, 20,000 of them in 20 ms. */
function isNamedAlike({ forge, owner, repo }: RepoRef): Condition {
  const isAlike = (column: 'owner' | 'repo', name: string): Condition =>
    row(row.fn<string>('lower', [column]), '=', name.toLowerCase());
  return row.and([row('forge', '=', forge), isAlike('owner', owner), isAlike('repo', repo)]);
}

function hasBranch(repo: RepoRef, repoId: number, branch: string): Condition[] {
  return inRepository(repo, repoId).map((isHere) => row.and([isHere, row('branch', '=', branch)]));
}

/** A repository is known by its id; a row written before the id was known, by its name. */
function inRepository({ forge, owner, repo }: RepoRef, repoId: number | null): Condition[] {
  const named = row.and({ forge, owner, repo });
  if (repoId === null) return [named];
  return [row.and({ forge, repoId }), row.and([named, row('repoId', 'is', null)])];
}

/** Without what the table has no column for: a row may have more fields than its type says. */
function toStored(row: ForgeStateRow): Stored {
  const stored = { ...row, bottleNames: JSON.stringify(row.bottleNames), epoch: row.epoch ?? 0 };
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name in COLUMNS)) as unknown as Stored;
}

function fromStored({ bottleNames, epoch, ...row }: Stored): ForgeStateRow {
  return {
    ...row,
    bottleNames: stringList(bottleNames, `bottle_names of ${row.workflowId} in forge_state`),
    ...(epoch === 0 ? {} : { epoch }),
  };
}
