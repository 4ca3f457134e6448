import type { Database as Connection } from 'better-sqlite3';
import { workflowIdOf } from '../../domain/forge/issue.js';
import type { RepoRef, SubjectRef } from '../../domain/forge/issue.js';
import type { ForgeStateStore } from '../../domain/run/stores.js';
import type { ForgeStateRow, RunStatus } from '../../domain/run/rows.js';
import { stringList } from './json-column.js';

interface StoredRow {
  readonly forge: RepoRef['forge'];
  readonly owner: string;
  readonly repo: string;
  readonly issue_number: number;
  readonly slug: string;
  readonly agent_name: string;
  readonly bottle_names: string;
  readonly backend_name: string;
  readonly agent_git_user: string;
  readonly pr_number: number | null;
  readonly status: RunStatus;
  readonly last_checkin_at: number | null;
  readonly phase: string;
  readonly reason: string | null;
  readonly repo_id: number | null;
  readonly host: string | null;
  readonly branch: string;
  readonly issue_url: string;
  readonly pr_url: string | null;
  readonly updated_at: number;
  readonly destroyed_at: number | null;
  readonly epoch: number;
}

const COLUMNS = [
  'forge, owner, repo, issue_number, slug, agent_name, bottle_names, backend_name, agent_git_user, pr_number, status',
  'last_checkin_at, phase, reason, repo_id, host, branch, issue_url, pr_url, updated_at, destroyed_at, epoch',
].join(', ');
const PARAMETERS = COLUMNS.replace(/\w+/g, (name) => `@${name}`);
const KEY = 'forge = ? AND owner = ? AND repo = ? AND issue_number = ?';
type Key = [string, string, string, number];

/** Table `forge_state` [S0]. Errors: `StoreError` for a row whose JSON is corrupt. */
export function createForgeStateStore(connection: Connection): ForgeStateStore {
  const replace = connection.prepare<[StoredRow]>(
    `INSERT OR REPLACE INTO forge_state (${COLUMNS}) VALUES (${PARAMETERS})`,
  );
  const select = connection.prepare<Key, StoredRow>(`SELECT ${COLUMNS} FROM forge_state WHERE ${KEY}`);
  const selectRun = connection.prepare<[string], StoredRow>(
    `SELECT ${COLUMNS} FROM forge_state WHERE slug = ? ORDER BY forge, owner, repo, issue_number LIMIT 1`,
  );
  const remove = connection.prepare<Key>(`DELETE FROM forge_state WHERE ${KEY}`);
  const selectAll = connection.prepare<[], StoredRow>(
    `SELECT ${COLUMNS} FROM forge_state ORDER BY forge, owner, repo, issue_number`,
  );
  const selectRunning = connection.prepare<[], StoredRow>(
    `SELECT ${COLUMNS} FROM forge_state WHERE status = 'running' ORDER BY forge, owner, repo, issue_number`,
  );
  const checkIn = connection.prepare<{ slug: string; at: number }>(
    `UPDATE forge_state SET last_checkin_at = @at
     WHERE slug = @slug AND status = 'running' AND (last_checkin_at IS NULL OR last_checkin_at < @at)`,
  );
  return {
    upsert: (row) => void replace.run(toStored(row)),
    get: (subject) => {
      const stored = select.get(...keyOf(subject));
      return stored && fromStored(stored);
    },
    ofRun: (slug) => {
      const stored = selectRun.get(slug);
      return stored && fromStored(stored);
    },
    delete: (subject) => void remove.run(...keyOf(subject)),
    all: () => selectAll.all().map(fromStored),
    running: () => selectRunning.all().map(fromStored),
    checkedIn: (slug, at) => void checkIn.run({ slug, at }),
  };
}

function keyOf(subject: SubjectRef): Key {
  return [subject.forge, subject.owner, subject.repo, subject.number];
}

function toStored(row: ForgeStateRow): StoredRow {
  return {
    forge: row.forge,
    owner: row.owner,
    repo: row.repo,
    issue_number: row.issueNumber,
    slug: row.slug,
    agent_name: row.agentName,
    bottle_names: JSON.stringify(row.bottleNames),
    backend_name: row.backendName,
    agent_git_user: row.agentGitUser,
    pr_number: row.prNumber,
    status: row.status,
    last_checkin_at: row.lastCheckinAt,
    phase: row.phase,
    reason: row.reason,
    repo_id: row.repoId,
    host: row.host,
    branch: row.branch,
    issue_url: row.issueUrl,
    pr_url: row.prUrl,
    updated_at: row.updatedAt,
    destroyed_at: row.destroyedAt,
    epoch: row.epoch ?? 0,
  };
}

function fromStored(stored: StoredRow): ForgeStateRow {
  const { forge, owner, repo, issue_number: issueNumber } = stored;
  const id = workflowIdOf({ forge, owner, repo, number: issueNumber });
  return {
    forge,
    owner,
    repo,
    issueNumber,
    slug: stored.slug,
    agentName: stored.agent_name,
    bottleNames: stringList(stored.bottle_names, `bottle_names of ${id} in forge_state`),
    backendName: stored.backend_name,
    agentGitUser: stored.agent_git_user,
    prNumber: stored.pr_number,
    status: stored.status,
    lastCheckinAt: stored.last_checkin_at,
    phase: stored.phase,
    reason: stored.reason,
    repoId: stored.repo_id,
    host: stored.host,
    branch: stored.branch,
    issueUrl: stored.issue_url,
    prUrl: stored.pr_url,
    updatedAt: stored.updated_at,
    destroyedAt: stored.destroyed_at,
    ...(stored.epoch === 0 ? {} : { epoch: stored.epoch }),
  };
}
