import assert from 'node:assert/strict';
import { bottleScript } from '../../support/stack/bottle-script.js';
import type { Person } from '../../support/gitea/person.js';
import type { Life } from '../../support/stack/life.js';
import { waitUntil } from '../../support/stack/stack.js';
import { dave, forgeStack, hookedRepository, NAMED } from './stack.js';

/** Gitea tells nobody of a rename or transfer; what it delivers later has the new name and the old id. */
describe('a repository that does not stay where it was', function () {
  this.timeout(180_000);
  const { stack, lifeOf } = forgeStack();

  async function begun(owner: Person, repository: string): Promise<Life> {
    const number = await owner.on(repository).createIssue({
      title: 'Move me',
      body: bottleScript('write a.md x', 'commit A', 'open_pr A | b', 'done success first'),
      labels: ['bot-bottle:demo'],
      assignees: [stack().gitea.bot.login],
    });
    return lifeOf(number, repository);
  }

  /** A run in a repository of its own that has published its first turn. */
  async function published(
    name: string,
  ): Promise<{ readonly run: Life; readonly slug: string; readonly pr: number }> {
    const run = await begun(stack().gitea.alice, await hookedRepository(stack(), stack().gitea.alice, name));
    const { slug, prs } = await run.frozen(1, 'done');
    const [pr] = prs;
    assert.ok(pr !== undefined);
    return { run, slug, pr };
  }
  const rowOf = async (run: Life, slug: string) =>
    (await run.files.stateRows()).find((row) => row.slug === slug);

  it('keeps its run when it is renamed and then transferred: row, forge and remote follow', async () => {
    const { alice, admin } = stack().gitea;
    const { run, slug, pr } = await published('first-name');
    const { repoId } = (await rowOf(run, slug)) ?? {};
    assert.ok(repoId !== null && repoId !== undefined);

    await alice.api.call('PATCH', '/repos/alice/first-name', { name: 'second-name' });
    const renamed = alice.on('alice/second-name');
    const more = bottleScript(
      'write b.md x',
      'commit B',
      `comment ${String(pr)} here I am`,
      'done success second',
    );
    await renamed.comment(run.issue, more);
    await run.frozen(2, 'done');
    const after = await rowOf(run, slug);
    assert.deepEqual([after?.owner, after?.repo, after?.repoId], ['alice', 'second-name', repoId]);
    assert.equal(await run.files.stateRow(run.subject), undefined, 'nothing under the old name');
    const files = await alice.api.list(
      `/repos/alice/second-name/contents?ref=${encodeURIComponent(after?.branch ?? '')}`,
    );
    assert.ok(
      files.some(({ name }) => name === 'b.md'),
      'pushed to the new address',
    );
    assert.ok((await renamed.comments(pr)).some(({ body }) => body.startsWith('here I am')));

    // Somebody takes the old name: none of the run's business, and the other way round.
    const heard = stack().output.length;
    const taken = await hookedRepository(stack(), alice, 'first-name');
    const squatter = await alice.on(taken).createIssue({
      title: 'same number',
      labels: ['bot-bottle:demo'],
      assignees: [stack().gitea.bot.login],
    });
    assert.equal(squatter, run.issue);
    await waitUntil('the refusal', () => stack().output.slice(heard).includes('which had this name before'));

    const carol = await stack().gitea.addPerson('carol');
    await admin.api.call('POST', '/repos/alice/second-name/transfer', { new_owner: 'carol' });
    const moved = carol.on('carol/second-name');
    // Whose trigger it was must be allowed to drive an agent there, too.
    await carol.api.call('PUT', '/repos/carol/second-name/collaborators/alice', { permission: 'write' });
    await moved.comment(run.issue, bottleScript('done success third'));
    await waitUntil('the row at its third place', async () => (await rowOf(run, slug))?.owner === 'carol');
    await run.frozen(3, 'done');

    const status = await stack().cli(['orchestrate', 'status', '--json']);
    assert.match(status.stdout, /carol/);
    await stack().run(['signal', slug, 'freeze', '--json']);
    await moved.closePr(pr);
    await run.ended();
  });

  it('is served for good where FORGE_REPOS names it, to the end of a run whose issue is deleted', async () => {
    const one = await begun(dave(), NAMED);
    const { slug } = await one.frozen(1, 'done');
    await dave().api.call('PATCH', '/repos/dave/named', { name: 'other' });
    const another = await begun(dave(), 'dave/other');
    await another.frozen(1, 'done');

    await dave().api.call('DELETE', `/repos/dave/other/issues/${String(one.issue)}`);
    await one.ended();
    await waitUntil('the row', async () => (await rowOf(one, slug))?.status === 'destroyed');
  });

  it('freezes its run when it is transferred to where nobody is served, and goes on when it is back', async () => {
    const { admin } = stack().gitea;
    const { run, slug, pr } = await published('leaving');
    await stack().gitea.addPerson('eve');
    await admin.api.call('POST', '/repos/alice/leaving/transfer', { new_owner: 'eve' });
    await admin.on('eve/leaving').addLabel(pr, 'anything');
    await run.until('frozen as unserved', ({ reason }) => reason === 'unserved');
    await waitUntil('the row', async () => (await rowOf(run, slug))?.reason === 'unserved');
    assert.match((await run.timeline()).join('\n'), /eve\/leaving now, which is not served/);

    await admin.api.call('POST', '/repos/eve/leaving/transfer', { new_owner: 'alice' });
    await admin.on('alice/leaving').addLabel(pr, 'something else');
    await run.until('a second turn', ({ turn }) => turn === 2);
    await admin.on('alice/leaving').closePr(pr);
    await run.ended();
  });
});
