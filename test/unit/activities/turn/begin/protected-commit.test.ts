import assert from 'node:assert/strict';
import { keepPushed } from '../../../../../src/activities/base/last-pushed.js';
import { protectedCommit } from '../../../../../src/activities/turn/begin/protected-commit.js';
import { blankTurnRecord } from '../../../../../src/activities/turn/turn-journal.js';
import { HEAD, useHostWorld, SLUG } from '../../../../support/host/host-world.js';

const [START, RESET, PUSHED, COUNTED] = ['1'.repeat(40), '2'.repeat(40), '3'.repeat(40), '4'.repeat(40)];
const REFS = { resetTo: null, startSha: START, branchSha: null };

describe('the commit that must stay in a branch’s history', () => {
  const world = useHostWorld();

  const found = (
    refs: Partial<Parameters<typeof protectedCommit>[2]> = {},
    { turn = 4, head = HEAD, isNew = false }: { turn?: number; head?: string | null; isNew?: boolean } = {},
  ): Promise<string> => protectedCommit(world.ports, { slug: SLUG, turn, head }, { ...REFS, ...refs }, isNew);
  const counted = (turn: number, baseSha: string | null): Promise<void> =>
    world.ports.files.writeTurn(SLUG, { ...blankTurnRecord(turn), baseSha });

  it('is where somebody’s rewriting has led', async () => {
    assert.equal(await found({ resetTo: RESET, branchSha: HEAD }, { isNew: true }), RESET);
  });

  it('is where a new workspace begins', async () => {
    await counted(3, COUNTED);
    assert.equal(await found({ branchSha: HEAD }, { isNew: true }), START);
  });

  it('is what the last turn left, where that is on the forge or was pushed', async () => {
    await counted(3, COUNTED);
    assert.equal(await found({ branchSha: HEAD }), HEAD);
    await keepPushed(world.ports, SLUG, HEAD);
    assert.equal(await found({ branchSha: PUSHED }), HEAD);
  });

  it('is what counted before, where that was never published: it may hold a secret', async () => {
    await counted(1, START);
    await counted(2, COUNTED);
    await counted(3, null);
    await keepPushed(world.ports, SLUG, PUSHED);
    assert.equal(await found({ branchSha: PUSHED }), COUNTED);
    assert.equal(await found({}, { head: null }), COUNTED, 'after a turn that was never taken in, too');
  });

  it('is the head, or where it begins, where no turn has left a word', async () => {
    assert.equal(await found(), HEAD);
    assert.equal(await found({}, { head: null }), START);
    await counted(1, COUNTED);
    assert.equal(await found({}, { turn: 1, head: null }), START, 'its own record is not the last one');
  });
});
