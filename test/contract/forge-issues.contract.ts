import assert from 'node:assert/strict';
import type { ForgeFixture } from './forge-world.js';

/** Issues: read, described, reacted to, and who did what to them. */
export function issuesContract(use: () => ForgeFixture): void {
  it('reads an issue with labels, assignees, author and base branch', async () => {
    const { world, forge, owner } = use();
    const number = await owner.createIssue({
      title: 'A <b>title</b>',
      body: 'text',
      labels: ['bot-bottle:dev', 'bug'],
      assignees: [world.bot],
      ref: 'main',
    });
    const issue = await forge.readIssue(number);
    assert.equal(issue.number, number);
    assert.equal(issue.title, 'A <b>title</b>');
    assert.equal(issue.body, 'text');
    assert.equal(issue.state, 'open');
    assert.deepEqual([...issue.labels].sort(), ['bot-bottle:dev', 'bug']);
    assert.deepEqual(
      issue.assignees.map((user) => user.login),
      [world.bot],
    );
    assert.equal(issue.author.login, owner.login);
    assert.equal(issue.ref, world.issueRef);
    assert.equal(issue.isPull, false);
    assert.equal(issue.locked, false);
    assert.equal(issue.closedAt, null);
    assert.ok(!Number.isNaN(Date.parse(issue.updatedAt)));
    assert.match(issue.url, /\/issues\/\d+$/);
  });

  it('shows a closed issue as closed, with the time', async () => {
    const { forge, owner } = use();
    const number = await owner.createIssue({ title: 'soon closed' });
    await owner.closeIssue(number);
    const issue = await forge.readIssue(number);
    assert.equal(issue.state, 'closed');
    assert.ok(issue.closedAt !== null && !Number.isNaN(Date.parse(issue.closedAt)));
  });

  it('updates the description of an issue and of a pull request', async () => {
    const fixture = use();
    const { world, forge, owner } = fixture;
    const issue = await owner.createIssue({ title: 'describe me', body: 'old' });
    const { number } = await fixture.pr();
    await forge.updateDescription(issue, 'new\n\n- [x] done');
    await forge.updateDescription(number, 'new too');
    assert.equal(await world.issueBody(issue), 'new\n\n- [x] done');
    assert.equal((await forge.readPr(number)).body, 'new too');
  });

  it('reads who did what to the trigger, in order', async () => {
    const { world, forge, owner } = use();
    const number = await owner.createIssue({
      title: 'timeline',
      labels: ['bot-bottle:dev'],
      assignees: [world.bot],
    });
    await owner.removeLabel(number, 'bot-bottle:dev');
    await owner.unassign(number, world.bot);
    await owner.comment(number, 'not an act');
    await owner.closeIssue(number);
    await owner.reopen(number);
    await owner.assign(number, world.bot);
    await owner.addLabel(number, 'bot-bottle:dev');
    const timeline = await forge.readTimeline(number);
    assert.deepEqual(
      timeline.map((act) => `${act.kind} ${act.what}`.trim()),
      [
        'labeled bot-bottle:dev',
        `assigned ${world.bot}`,
        'unlabeled bot-bottle:dev',
        `unassigned ${world.bot}`,
        'closed',
        'reopened',
        `assigned ${world.bot}`,
        'labeled bot-bottle:dev',
      ],
    );
    assert.ok(timeline.every((act) => act.actor.login === owner.login && !Number.isNaN(Date.parse(act.at))));
  });

  it('shows a merge as the closing act of a pull request', async () => {
    const fixture = use();
    const { forge, owner } = fixture;
    const { number } = await fixture.pr();
    await owner.mergePr(number);
    const kinds = (await forge.readTimeline(number)).map((act) => act.kind);
    // Gitea takes what a pull request is opened with for a push.
    assert.deepEqual(
      kinds.filter((kind) => kind !== 'pushed'),
      ['closed'],
    );
  });

  it('reads acts beyond the first page of a long timeline', async function () {
    const { forge, owner } = use();
    this.timeout(60_000);
    const number = await owner.createIssue({ title: 'busy' });
    for (let i = 0; i < 52; i += 1) await owner.comment(number, `noise ${String(i)}`);
    await owner.addLabel(number, 'bot-bottle:late');
    const last = (await forge.readTimeline(number)).at(-1);
    assert.deepEqual([last?.kind, last?.what], ['labeled', 'bot-bottle:late']);
  });

  it('reads acts beside a mention that a stranger took back', async () => {
    const { world, forge, owner } = use();
    const { stranger } = world;
    const number = await owner.createIssue({ title: 'mentioned', labels: ['bug'] });
    const other = await stranger.createIssue({ title: 'elsewhere' });
    await stranger.deleteComment(await stranger.comment(other, `like #${String(number)}`));
    const acts = await forge.readTimeline(number);
    assert.deepEqual(
      acts.map(({ kind }) => kind),
      ['labeled'],
    );
    assert.deepEqual(await forge.readLinkedPulls(number), []);
  });

  it('adds a reaction of its own once', async () => {
    const { world, forge, owner } = use();
    const number = await owner.createIssue({ title: 'react' });
    await forge.react(number, 'eyes');
    await forge.react(number, 'eyes');
    await forge.react(number, 'confused');
    const reactions = await world.reactionsOn(number);
    assert.deepEqual(reactions.map((reaction) => `${reaction.login} ${reaction.content}`).sort(), [
      `${world.bot} confused`,
      `${world.bot} eyes`,
    ]);
  });
}
