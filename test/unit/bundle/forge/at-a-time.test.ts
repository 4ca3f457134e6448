import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ISSUE, OWN_PR, planeFixture, type PlaneFixture } from '../../../support/bundle/plane-fixture.js';

describe('what an agent asks of the forge at the same time', () => {
  let fixture: PlaneFixture;
  let underWay: number;
  let most: number;
  beforeEach(() => {
    fixture = planeFixture();
    underWay = 0;
    most = 0;
    fixture.forge.pause = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await nextTurn();
      underWay -= 1;
    };
  });

  it('is asked two at a time, reads and posts together, and all of it is answered', async () => {
    const { plane } = fixture;
    await Promise.all(
      Array.from({ length: 6 }, (_, at) => [
        plane.call('read_comments', { number: OWN_PR }),
        plane.call('post_comment', { number: ISSUE, body: String(at) }),
        plane.call('update_description', { number: ISSUE, body: String(at) }),
        plane.call('read_pr', { number: OWN_PR }),
      ]).flat(),
    );
    assert.deepEqual([most, underWay], [2, 0]);
    assert.equal(fixture.forge.calls.length, 30);
  });

  it('a read has its place until its answer is made, and gives it back when it fails', async () => {
    const { plane, forge } = fixture;
    forge.fault = new Error('away');
    const failed = await Promise.allSettled(
      Array.from({ length: 6 }, () => plane.call('read_comments', { number: OWN_PR })),
    );
    assert.ok(failed.every(({ status }) => status === 'rejected'));
    forge.fault = undefined;
    await plane.call('read_comments', { number: OWN_PR });
  });

  it('a text that waits to be checked holds up no read', async () => {
    const { plane, checks } = fixture;
    let clean = (): void => undefined;
    const checked = new Promise<void>((resolve) => (clean = resolve));
    checks.check = () => checked;
    const posts = [1, 2, 3].map((at) => plane.call('post_comment', { number: ISSUE, body: String(at) }));
    await plane.call('read_comments', { number: OWN_PR });
    clean();
    await Promise.all(posts);
  });
});
