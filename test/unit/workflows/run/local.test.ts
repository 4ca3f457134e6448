import assert from 'node:assert/strict';
import { runRef } from '../../../../src/workflows/run/inputs.js';
import { agentReport, observed, trigger, World } from '../../../support/machine/world.js';

describe('a run without an issue', () => {
  it('is done when its agent ends well, for nobody taught it to say so', () => {
    const world = World.local();
    world.liveTurn({ exitCode: 0 }, { publish: { kind: 'kept', head: 'h' } });
    assert.equal(world.reason, 'done');
    assert.equal(world.life.lastTurn?.doneStatus, 'success');
    assert.equal(world.turn.number, 1, 'it is not nudged');
  });

  it('is incomplete when it does not', () => {
    for (const result of [
      { exitCode: 1 },
      { exitCode: 0, agent: agentReport('provider') },
      { exitCode: 137, stopped: 'timeout' } as const,
    ]) {
      const world = World.local();
      world.liveTurn(result);
      assert.notEqual(world.reason, 'done', JSON.stringify(result));
    }
  });

  it('tells its activities where its commits come from, and a run of an issue has nothing of that', () => {
    const world = World.local();
    const { source, repoId, subject, workflowId } = runRef(world.state, world.life);
    assert.deepEqual(source, { forge: 'gitea', owner: 'alice', repo: 'demo' });
    assert.equal(repoId, null);
    assert.equal(workflowId, `local:${subject.repo}`);
    const issue = new World();
    issue.feed(observed({ readAt: 6, trigger: trigger(5) }));
    assert.ok(!('source' in runRef(issue.state, issue.life)));
  });
});
