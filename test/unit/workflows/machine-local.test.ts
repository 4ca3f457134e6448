import assert from 'node:assert/strict';
import { runRef } from '../../../src/workflows/run-view.js';
import { agentReport, observed, trigger, World } from '../../support/machine/world.js';

describe('a run without an issue', () => {
  it('is done when its agent ends well, for nobody taught it to say so', () => {
    const world = World.local();
    world.turn({ exitCode: 0 }, { publish: { kind: 'kept', head: 'h' } });
    assert.equal(world.state.frozenReason, 'done');
    assert.equal(world.state.lastTurn?.doneStatus, 'success');
    assert.equal(world.state.turn, 1, 'it is not nudged');
  });

  it('is incomplete when it does not', () => {
    for (const result of [
      { exitCode: 1 },
      { exitCode: 0, agent: agentReport('provider') },
      { exitCode: 137, stopped: 'timeout' } as const,
    ]) {
      const world = World.local();
      world.turn(result);
      assert.notEqual(world.state.frozenReason, 'done', JSON.stringify(result));
    }
  });

  it('is stuck when it says so', () => {
    const world = World.local();
    world.turn({ exitCode: 0 }, { stuck: true, stuckHash: 'x' });
    assert.equal(world.state.frozenReason, 'stuck');
  });

  it('tells its activities where its commits come from, and a run of an issue has nothing of that', () => {
    const world = World.local();
    const { source, repoId, subject, workflowId } = runRef(world.state);
    assert.deepEqual(source, { forge: 'gitea', owner: 'alice', repo: 'demo' });
    assert.equal(repoId, null);
    assert.equal(workflowId, `local:${subject.repo}`);
    const issue = new World();
    issue.feed(observed({ readAt: 6, trigger: trigger(5) }));
    assert.ok(!('source' in runRef(issue.state)));
  });
});
