import assert from 'node:assert/strict';
import { syncWorkflowId } from '../../../../src/domain/sync/sync.js';
import { runDirName, SYNC_BRANCHES, syncBranch } from '../../../../src/domain/sync/sync-names.js';
import { isBranchName } from '../../../../src/domain/workspace/branch-name.js';

const AT = Date.UTC(2026, 10, 24, 21, 56, 3, 999);

describe('the names of a sync', () => {
  it('have the second in which it began, UTC', () => {
    assert.equal(syncBranch(AT), 'bot-bottle/sync-20261124_215603');
    assert.equal(runDirName('demo', AT), 'demo_20261124_215603');
  });

  it('of branches are found by how they begin, the newest last', () => {
    const times = [AT, AT + 1_000, AT + 60_000, AT + 86_400_000, AT + 40 * 86_400_000];
    const branches = times.map(syncBranch);
    assert.deepEqual(branches.toSorted(), branches);
    for (const branch of branches) assert.ok(branch.startsWith(SYNC_BRANCHES) && isBranchName(branch));
  });

  it('of workflows are one for each fork of a forge', () => {
    const fork = { forge: 'gitea', owner: 'alice', repo: 'demo' } as const;
    assert.equal(syncWorkflowId(fork), 'sync:gitea:alice/demo');
    assert.equal(syncWorkflowId({ ...fork, owner: 'Alice', repo: 'DEMO' }), syncWorkflowId(fork));
  });
});
