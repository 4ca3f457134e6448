import assert from 'node:assert/strict';
import { keepPushed } from '../../../../src/activities/base/last-pushed.js';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import type { RunTurnInput } from '../../../../src/activities/ports/inputs.js';
import { changesOnForge, type ChangesOnForge } from '../../../../src/activities/setup/changes-on-forge.js';
import { blankTurnRecord } from '../../../../src/activities/turn/turn-journal.js';
import type { TurnRefs } from '../../../../src/domain/workspace/git-repository.js';
import { BRANCH, HEAD, useHostWorld, SLUG } from '../../../support/host/host-world.js';

const [OLD, NEW, OTHER] = ['1'.repeat(40), '2'.repeat(40), '3'.repeat(40)];
const REFS: TurnRefs = { startSha: OLD, baseBranch: 'main', baseSha: OLD, branchSha: null };
const NOTHING: ChangesOnForge = { resetTo: null, moved: [] };

describe('what others did on the forge since the turn before', () => {
  const world = useHostWorld();
  let ports: HostPorts;
  /** Commits that are behind others. */
  let isBehind: (ancestor: string, descendant: string) => boolean;
  beforeEach(async () => {
    isBehind = () => true;
    const isAncestor: HostPorts['git']['isAncestor'] = ({ owner, repo }, ancestor, descendant) => {
      assert.deepEqual([owner, repo], ['alice', 'demo']);
      return Promise.resolve(isBehind(ancestor, descendant));
    };
    ports = { ...world.ports, git: { ...world.ports.git, isAncestor } };
    await world.begin({ refs: REFS });
  });

  const look = async (refs: Partial<TurnRefs>, turn: Partial<RunTurnInput> = {}): Promise<ChangesOnForge> =>
    changesOnForge(ports, await world.turning({ turn: 2, head: HEAD, ...turn }), { ...REFS, ...refs });

  it('is nothing where all is as it was', async () => {
    assert.deepEqual(await look({}), NOTHING);
  });

  for (const rewritten of [false, true])
    it(`is a base that ${rewritten ? 'was rewritten' : 'has gone on'}, and the workspace stays`, async () => {
      isBehind = (...commits) => {
        assert.deepEqual(commits, [OLD, NEW]);
        return !rewritten;
      };
      const moved = [{ which: 'base', name: 'main', sha: NEW, rewritten }];
      assert.deepEqual(await look({ baseSha: NEW }), { resetTo: null, moved });
    });

  it('is seen from the last turn that began, whatever number the turn has', async () => {
    const moved = [{ which: 'base', name: 'main', sha: NEW, rewritten: false }];
    assert.deepEqual((await look({ baseSha: NEW }, { turn: 7 })).moved, moved, 'none is kept of turn 6');
  });

  it('is no base of another name, and nothing before there was a turn', async () => {
    assert.deepEqual(await look({ baseBranch: 'next', baseSha: NEW }), NOTHING);
    assert.deepEqual(
      await look({ baseSha: NEW }, { turn: 1 }),
      NOTHING,
      'its own record is not the last one',
    );
    await world.begin({ refs: null });
    assert.deepEqual(await look({ baseSha: NEW }), NOTHING);
  });

  it('is what stands on the run’s branch and is not what was pushed', async () => {
    await keepPushed(ports, SLUG, HEAD);
    isBehind = (...commits) => {
      assert.deepEqual(commits, [HEAD, OTHER]);
      return true;
    };
    const moved = [{ which: 'own', name: BRANCH, sha: OTHER, rewritten: false }];
    assert.deepEqual(await look({ branchSha: OTHER }), { resetTo: null, moved });
    assert.deepEqual(await look({ branchSha: HEAD }), NOTHING);
  });

  it('is nothing of a branch that is not there, or that nothing was pushed to', async () => {
    assert.deepEqual(await look({ branchSha: OTHER }), NOTHING);
    await keepPushed(ports, SLUG, HEAD);
    assert.deepEqual(await look({ branchSha: null }), NOTHING);
    assert.deepEqual(await look({ branchSha: OTHER }, { head: null }), NOTHING, 'the run has no work yet');
  });

  describe('to a branch that was there before the run, and that the run has not pushed to', () => {
    beforeEach(() => world.begin({ refs: { ...REFS, startSha: HEAD, branchSha: HEAD } }));

    for (const rewritten of [false, true])
      it(`is that it ${rewritten ? 'was rewritten: the workspace starts from there' : 'has gone on'}`, async () => {
        isBehind = (...commits) => {
          assert.deepEqual(commits, [HEAD, OTHER]);
          return !rewritten;
        };
        assert.deepEqual(await look({ branchSha: OTHER }), {
          resetTo: rewritten ? OTHER : null,
          moved: [{ which: 'own', name: BRANCH, sha: OTHER, rewritten }],
        });
      });

    it('is seen from the first turn, whatever the later ones found there', async () => {
      isBehind = (ancestor) => ancestor !== HEAD;
      const { ports: later } = world;
      await later.files.writeTurn(SLUG, { ...blankTurnRecord(2), refs: { ...REFS, branchSha: NEW } });
      assert.equal((await look({ branchSha: OTHER }, { turn: 3 })).resetTo, OTHER);
    });

    it('is nothing more once the workspace stands there itself', async () => {
      isBehind = () => false;
      assert.deepEqual(await look({ branchSha: OTHER }, { turn: 3, head: OTHER }), NOTHING);
    });

    it('is nothing where it is as it was, or gone, or the run has no work yet', async () => {
      assert.deepEqual(await look({ branchSha: HEAD }, { head: NEW }), NOTHING);
      assert.deepEqual(await look({ branchSha: null }), NOTHING);
      assert.deepEqual(await look({ branchSha: OTHER }, { head: null }), NOTHING);
      assert.deepEqual(
        await look({ branchSha: OTHER }, { turn: 1 }),
        NOTHING,
        'its own record is no earlier one',
      );
    });

    it('counts from what the run has pushed since', async () => {
      await keepPushed(ports, SLUG, NEW);
      isBehind = (ancestor) => ancestor === NEW;
      assert.deepEqual((await look({ branchSha: OTHER })).resetTo, null);
    });
  });

  it('is told once where the branch has only gone on', async () => {
    await keepPushed(ports, SLUG, HEAD);
    await world.begin({ refs: { ...REFS, branchSha: OTHER } });
    assert.deepEqual(await look({ branchSha: OTHER }), NOTHING);
    assert.equal((await look({ branchSha: NEW })).moved.length, 1);
  });

  it('makes the workspace start from a branch that was rewritten, until a turn has', async () => {
    await keepPushed(ports, SLUG, HEAD);
    isBehind = () => false;
    const refs = { ...REFS, branchSha: OTHER };
    await world.begin({ refs, baseSha: OTHER });
    const moved = [{ which: 'own', name: BRANCH, sha: OTHER, rewritten: true }];
    assert.deepEqual(await look({ branchSha: OTHER }), { resetTo: OTHER, moved }, 'its agent did not begin');
    const provider = { name: 'claude', version: null };
    await world.begin({ refs, baseSha: HEAD, provider });
    assert.deepEqual(await look({ branchSha: OTHER }), { resetTo: OTHER, moved }, 'it had begun elsewhere');
    await world.begin({ refs, baseSha: OTHER, provider });
    assert.deepEqual(await look({ branchSha: OTHER }), NOTHING, 'what it has committed since stays');
    assert.deepEqual((await look({ branchSha: NEW })).resetTo, NEW, 'somebody has rewritten it again');
  });

  it('may be both, the base first', async () => {
    await keepPushed(ports, SLUG, HEAD);
    const { moved } = await look({ baseSha: NEW, branchSha: OTHER });
    assert.deepEqual(
      moved.map(({ which }) => which),
      ['base', 'own'],
    );
  });
});
