import { workflowIdOf } from '../../../src/domain/forge/issue.js';
import type { ForgeStateRow } from '../../../src/domain/run/rows.js';

/** A running row of `gitea:alice/demo#<number>`, changed as asked. */
export function stateRow(changes: Partial<ForgeStateRow> = {}): ForgeStateRow {
  const issueNumber = changes.issueNumber ?? 12;
  const subject = { forge: 'gitea', owner: 'alice', repo: 'demo', ...changes, number: issueNumber } as const;
  const { forge, owner, repo } = subject;
  return {
    forge,
    owner,
    repo,
    issueNumber,
    workflowId: workflowIdOf(subject),
    slug: `coder-alice-demo-${String(issueNumber)}-abc12`,
    agentName: 'coder',
    bottleNames: ['default', 'node'],
    backendName: 'docker',
    agentGitUser: 'Coder <coder@example.org>',
    prNumber: null,
    status: 'running',
    lastCheckinAt: null,
    phase: 'running',
    reason: null,
    repoId: 7,
    host: 'h1',
    branch: `bot-bottle/${String(issueNumber)}-abc12`,
    issueUrl: `https://forge.example/alice/demo/issues/${String(issueNumber)}`,
    prUrl: null,
    updatedAt: 1_700_000_000_000,
    destroyedAt: null,
    ...changes,
  };
}
