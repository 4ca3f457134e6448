import assert from 'node:assert/strict';
import { MALLORY, SLUG, usePreparing } from '../../../support/prepare/preparing.js';
import { BOT } from '../../../support/webhook/fake-forge.js';

describe('preparing a turn', () => {
  const world = usePreparing();
  const { comment, ready } = world;

  describe('a fresh session in the middle of a run', () => {
    async function ended(turn: number, status: string, summary: string): Promise<void> {
      const summaryRef = await world.ports.blobs.put(summary);
      const detail = { done: { id: 'd', status, summaryRef } };
      await world.database.runs.appendTurn({ slug: SLUG, turn, event: 'ended', at: turn, detail });
    }

    it('is told the task, what was said at the ends of the turns, the pull request and the latest comments', async () => {
      await ready();
      await ended(1, 'success', 'Greeted people.');
      await ended(2, 'blocked', '');
      comment(1, 'well done');
      comment(2, 'buy my watches', MALLORY);
      comment(3, 'I opened it', BOT);
      world.forge.putPull(13);
      const { prompt } = await ready({
        turn: 3,
        cause: { kind: 'wake' },
        session: 'lost',
        prNumber: 13,
        omitted: 1,
      });
      assert.match(prompt, /Title of issue #12:\n\n> Issue 12/);
      assert.match(prompt, /Your last session is lost\./);
      assert.match(prompt, /Turn 1 ended as success; you said of it:\n\n> Greeted people\./);
      assert.match(prompt, /pull request #13 is open\./);
      assert.match(prompt, /> well done/);
      assert.match(prompt, /> I opened it/);
      assert.doesNotMatch(prompt, /watches/);
      assert.match(prompt, /# What to do now\n\nYou are asked to go on/);
    });

    it('is told what it was told in vain once, and that it is told again', async () => {
      await ready();
      const one = comment(1, 'look here');
      comment(2, 'and there');
      const { prompt } = await ready({
        turn: 3,
        cause: { kind: 'interrupted', of: { kind: 'wake' }, turn: 1 },
        session: 'lost',
        references: [{ ...one, again: true }],
      });
      assert.equal(prompt.split('look here').length, 2, prompt);
      assert.match(
        prompt,
        /## Comment on #12 by alice, \S+, which an earlier prompt of yours had, too:\n\n> look here/,
      );
      assert.match(prompt, /# What was written last\n\n## Comment on #12 by alice, [^,]*:\n\n> and there/);
      assert.match(prompt, /The machine stopped in the middle of your last turn/);
    });

    it('is told the operator’s words where they took the place of the issue’s', async () => {
      const promptRef = await world.ports.blobs.put('Tidy up.');
      const operator = { actor: '', operator: { promptRef } };
      await ready({}, operator);
      const { prompt } = await ready(
        { turn: 2, cause: { kind: 'limit_over' }, session: 'rotated' },
        operator,
      );
      assert.match(prompt, /# Your task\n\nTidy up\./);
      assert.doesNotMatch(prompt, /> Issue 12/);
    });

    it('has nothing to be told where the first prompt tells it', async () => {
      const { prompt } = await ready({ turn: 2, cause: { kind: 'first' }, session: 'first' });
      assert.doesNotMatch(prompt, /What was done before/);
    });
  });
});
