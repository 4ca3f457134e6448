import assert from 'node:assert/strict';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { boundaryFile, runBoundary } from '../../../../src/activities/setup/run-boundary.js';
import { WHOLE_REPOSITORY } from '../../../../src/domain/bottle/bottle-setup.js';
import type { TurnRefs } from '../../../../src/domain/workspace/git-repository.js';
import { HEAD, useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { sampleBottle } from '../../../support/manifests/samples.js';

const ENDS = ['1'.repeat(40), '2'.repeat(40)];
const REFS: TurnRefs = { startSha: HEAD, baseBranch: 'main', baseSha: HEAD, branchSha: null };

describe('where a workspace’s history ends', () => {
  const world = useHostWorld();
  let ports: HostPorts;
  let ends: readonly string[];
  let depths: number[];
  beforeEach(() => {
    [ends, depths] = [ENDS, []];
    const boundary: HostPorts['git']['boundary'] = ({ repo }, refs, depth) => {
      assert.deepEqual([repo, refs], ['demo', REFS]);
      depths.push(depth);
      return Promise.resolve(ends);
    };
    ports = { ...world.ports, git: { ...world.ports.git, boundary } };
  });

  const find = async (turn: number, isNew: boolean, depth: number | null = 5): Promise<readonly string[]> => {
    const bottle = sampleBottle({ workspace: { ...WHOLE_REPOSITORY, depth } });
    return runBoundary(ports, await world.turning({ turn }), bottle, REFS, isNew);
  };

  it('is found at the first turn, and does not move with the branches', async () => {
    assert.deepEqual(await find(1, true), ENDS);
    ends = ['3'.repeat(40)];
    assert.deepEqual(await find(2, false), ENDS);
    assert.deepEqual(await find(3, true, null), ENDS, 'whatever its manifest says later');
    assert.deepEqual(depths, [5]);
    assert.equal(await boundaryFile(ports, SLUG), `${ports.files.paths(SLUG).turnInput}/shallow`);
  });

  it('is found at the first turn that got as far as a workspace', async () => {
    assert.deepEqual(await find(4, true), ENDS);
    assert.deepEqual(depths, [5]);
  });

  it('is found when the first turn is tried again', async () => {
    assert.deepEqual(await find(1, false), ENDS);
  });

  it('is nowhere in a workspace that began with everything', async () => {
    assert.deepEqual(await find(1, true, null), []);
    assert.deepEqual(await find(2, false), []);
    assert.deepEqual(depths, []);
    assert.equal(await boundaryFile(ports, SLUG), null);
  });

  it('is nowhere where the history is shorter, also when more is there later', async () => {
    ends = [];
    assert.deepEqual(await find(1, true), []);
    ends = ENDS;
    assert.deepEqual(await find(2, false), []);
    assert.equal(await boundaryFile(ports, SLUG), null);
  });
});
