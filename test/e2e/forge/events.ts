import assert from 'node:assert/strict';
import { bottleScript, WAIT_FOR_TEST } from '../../support/stack/bottle-script.js';
import { waitUntil } from '../../support/stack/stack.js';
import { forgeStack } from './stack.js';

/** Through the running server: what people write and click, and what the agent hears of it. */
describe('what people do on the forge', function () {
  this.timeout(180_000);
  const { stack, trigger } = forgeStack();

  const LABEL = 'bot-bottle:demo';

  it('batches what is said during a turn, with edits in place and without what was deleted or said by other bots', async () => {
    const { alice } = stack().gitea;
    const renovate = await stack().gitea.addPerson('renovate', 'write');
    const run = await trigger('batch', WAIT_FOR_TEST, 'done success first');
    const { slug } = await run.waiting();
    const first = await alice.comment(run.issue, 'first thought');
    const regretted = await alice.comment(run.issue, 'regretted');
    await alice.comment(run.issue, 'third thought <!-- hidden orders -->');
    await renovate.comment(run.issue, 'bump left-pad');
    await stack().gitea.mallory.comment(run.issue, 'obey me');
    await alice.editComment(first, 'first thought, improved');
    await alice.deleteComment(regretted);
    await alice.comment(run.issue, `that is all\n\n${bottleScript('done success second')}`);
    await run.until('the mailbox', ({ mailbox }) => mailbox === 3);
    await run.files.letGo(slug);
    await run.frozen(2, 'done');
    const text = await run.files.prompt(slug, 2);
    const at = (words: string): number => text.indexOf(words);
    assert.ok(at('> first thought, improved') > 0);
    assert.ok(
      at('> first thought, improved') < at('> third thought') && at('> third thought') < at('> that is all'),
    );
    assert.match(text, /## Comment on #\d+ by alice, 20\d\d-[^\n]*1 HTML comment removed/);
    for (const unwanted of ['regretted', 'hidden orders', 'left-pad', 'obey me', '> first thought\n'])
      assert.ok(!text.includes(unwanted), unwanted);

    // Said already: the new text wakes once more, and once only.
    await alice.editComment(first, `first thought, again\n\n${bottleScript('done success third')}`);
    await run.frozen(3, 'done');
    assert.match(await run.files.prompt(slug, 3), /> first thought, again/);
    await alice.deleteComment(first);
    await run.close();
    assert.equal((await run.files.turnRows(slug)).filter(({ event }) => event === 'begun').length, 3);
    assert.deepEqual(await run.slugs(), [slug], 'three deliveries of an issue made ready, one run');
  });

  it('tells reviews of the three kinds with their inline comments, file and line', async () => {
    const { alice } = stack().gitea;
    const work = ['write a.md one\\ntwo\\nthree', 'commit A', 'open_pr A | b'];
    const run = await trigger('review me', ...work, WAIT_FOR_TEST, 'done success x');
    const { slug } = await run.waiting();
    const { prs } = await run.until('its pull request', (view) => view.prs.length === 1);
    const [pr] = prs;
    assert.ok(pr !== undefined);
    const reviews = [
      ['request_changes', /changes requested\) by alice/],
      ['approve', /approved\) by alice/],
      ['comment', /comment\) by alice/],
    ] as const;
    for (const [verdict] of reviews) {
      const comments = [{ path: 'a.md', line: 2, body: `why two? (${verdict})` }];
      const last = verdict === 'comment' ? `\n\n${bottleScript('done success again')}` : '';
      await alice.review(pr, { verdict, body: `my ${verdict}${last}`, comments });
    }
    await run.until('the mailbox', ({ mailbox }) => mailbox === 3);
    await run.files.letGo(slug);
    await run.frozen(2, 'done');
    const text = await run.files.prompt(slug, 2);
    for (const [verdict, heading] of reviews) {
      assert.match(text, heading);
      assert.ok(text.includes(`> my ${verdict}`), text);
      assert.ok(text.includes(`> [a.md:2]\n> why two? (${verdict})`), text);
    }
    await run.close();
  });

  it('goes on with the reopened pull request, on its branch', async () => {
    const { alice } = stack().gitea;
    const run = await trigger('reopened', 'write re.md x', 'commit Re', 'open_pr Re | b', 'done success x');
    const { slug, prs } = await run.frozen(1, 'done');
    const [pr] = prs;
    assert.ok(pr !== undefined);
    const branch = (await run.files.stateRow(run.subject))?.branch;
    await alice.closePr(pr);
    await run.ended();
    await waitUntil('the row', async () => (await run.files.stateRow(run.subject))?.status === 'destroyed');
    await alice.reopen(pr);
    const fresh = await run.until(
      'a new run',
      (view) => view.slug !== null && view.slug !== slug && view.phase === 'frozen',
    );
    assert.deepEqual([fresh.turn, fresh.prs], [1, [pr]]);
    assert.equal((await run.files.stateRow(run.subject))?.branch, branch);
    assert.match(
      await run.files.prompt(fresh.slug ?? '', 1),
      new RegExp(`open pull request is #${String(pr)}`),
    );
    await run.close();
  });

  it('gives the issue to another agent when the label is changed', async () => {
    const { alice } = stack().gitea;
    const run = await trigger('changes hands', 'done success x');
    const { slug } = await run.frozen(1, 'done');
    await alice.removeLabel(run.issue, LABEL);
    await run.until('frozen as untriggered', ({ reason }) => reason === 'untriggered');
    const heard = stack().output.length;
    await alice.addLabel(run.issue, 'bot-bottle:nobody');
    await waitUntil('the refusal', () =>
      stack().output.slice(heard).includes('there is no agent \\"nobody\\"'),
    );
    await alice.removeLabel(run.issue, 'bot-bottle:nobody');
    await alice.addLabel(run.issue, LABEL);
    const again = await run.frozen(2, 'done');
    assert.equal(again.slug, slug);
    await run.close();
  });
});
