import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bottleScript } from '../../support/stack/bottle-script.js';
import { messagesStack } from './stack.js';

describe('what kills the worker each time', function () {
  this.timeout(240_000);
  const { stack, open } = messagesStack();

  it('is a request that is set aside after two crashes and freezes its run as failed; the run beside it ends well', async () => {
    const work = (title: string): string =>
      bottleScript('write a.md x', 'commit First', `open_pr ${title} | Please merge`, 'done success first');
    const [poison, beside] = await Promise.all([
      open('the worker dies of this', work('POISON')),
      open('beside it', work('Fine')),
    ]);
    const [failed, done] = await Promise.all([poison.frozen(1, 'failed'), beside.frozen(1, 'done')]);

    assert.match(failed.detail ?? '', /^open_pr \w+ was under way at two crashes of the worker$/);
    const ends = stack().output.match(/^bot-bottle: worker ended by itself: .*;/gm);
    assert.deepEqual(
      ends,
      Array.from({ length: 2 }, () => 'bot-bottle: worker ended by itself: killed by SIGKILL;'),
    );
    const kept = await readdir(join(stack().home, 'state', failed.slug, 'archive/set-aside'));
    assert.equal(kept.length, 1);
    assert.deepEqual(
      (await poison.files.turnRows(failed.slug)).map(({ event }) => event),
      ['begun', 'ended'],
    );
    assert.deepEqual([failed.prs.length, done.prs.length], [0, 1]);
    for (const life of [poison, beside])
      assert.equal(await life.files.invocations(life === poison ? failed.slug : done.slug, 1), 1);
    assert.deepEqual(
      await readdir(join(stack().home, 'under-way')).then((names) =>
        names.filter((name) => name.startsWith(done.slug)),
      ),
      [],
    );
  });
});
