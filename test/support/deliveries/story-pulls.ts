import { BRANCH, playReviews } from './story-reviews.js';
import { REPO } from './story-world.js';
import type { StoryWorld } from './story-world.js';

const SYNC = 'pull_request_sync synchronized';

/** Everything that happens to a pull request, from its branch to its merge. */
export async function playPulls(world: StoryWorld): Promise<void> {
  const { recording, ada, dev, robot } = world;
  const act = recording.act.bind(recording);
  const issue = await recording.prepare(1, () => ada.createIssue({ title: 'Say goodbye' }));
  const [ofDev, ofRobot] = [await world.clone(dev), await world.clone(robot)];

  await act('branch-pushed', 'dev pushes a new branch with git', ['create', 'push'], async () => {
    await ofDev.commit(BRANCH, 'goodbye.sh', 'echo bye\necho bye\n');
    await ofDev.push(BRANCH);
  });
  const pull = await act(
    'pull-opened',
    'dev opens a pull request that closes an issue',
    ['pull_request opened'],
    () => dev.openPr({ title: 'Say goodbye', head: BRANCH, body: `Closes #${issue}` }),
  );
  await act('pull-pushed-by-person', 'dev pushes to its branch', ['push', SYNC], async () => {
    await ofDev.commit(BRANCH, 'more.txt', 'more\n');
    await ofDev.push(BRANCH);
  });
  await act('pull-pushed-by-bot', 'the robot pushes to its branch', ['push', SYNC], async () => {
    await ofRobot.commit(BRANCH, 'robot.txt', 'beep\n');
    await ofRobot.push(BRANCH);
  });
  await act('pull-force-pushed', 'dev rewrites its branch', ['push', SYNC], async () => {
    await ofDev.amend(BRANCH, 'robot.txt', 'bop\n');
    await ofDev.push(BRANCH, '--force');
  });
  await playTalk(world, pull);
  await playReviews(world, pull);
  await playUpdates(world, pull);
  await act(
    'pull-merged',
    'ada merges it with a merge commit, which closes the issue',
    ['push', 'pull_request closed', 'issues closed'],
    () => ada.mergePr(pull),
  );
  await act('pull-branch-deleted', 'dev deletes the branch of the merged pull request', ['delete'], () =>
    dev.api.call('DELETE', `/repos/${REPO}/branches/${BRANCH}`),
  );
  await playOthers(world);
  await playFork(world);
}

async function playTalk({ recording, ada, dev, robot }: StoryWorld, pull: number): Promise<void> {
  const act = recording.act.bind(recording);
  const comment = await act(
    'pull-comment-created',
    'ada comments on a pull request',
    ['pull_request_comment created'],
    () => ada.comment(pull, 'Why twice?'),
  );
  await act('pull-comment-edited', 'ada edits the comment', ['pull_request_comment edited'], () =>
    ada.editComment(comment, 'Why two times?'),
  );
  await act('pull-comment-deleted', 'ada deletes the comment', ['pull_request_comment deleted'], () =>
    ada.api.call('DELETE', `/repos/${REPO}/issues/comments/${comment}`),
  );
  await act('pull-label-added', 'ada adds a label to it', ['pull_request_label label_updated'], () =>
    ada.addLabel(pull, 'bot-bottle:coder'),
  );
  await act('pull-labels-cleared', 'ada removes all its labels', ['pull_request_label label_cleared'], () =>
    ada.api.call('DELETE', `/repos/${REPO}/issues/${pull}/labels`),
  );
  await act('pull-assigned', 'ada assigns it', ['pull_request_assign assigned'], () =>
    ada.assign(pull, robot.login),
  );
  await act('pull-unassigned', 'ada takes the assignee off', ['pull_request_assign unassigned'], () =>
    ada.unassign(pull, robot.login),
  );
  const path = `/repos/${REPO}/pulls/${pull}`;
  await act('pull-made-draft', 'dev puts WIP: before the title', ['pull_request edited'], () =>
    dev.api.call('PATCH', path, { title: 'WIP: Say goodbye' }),
  );
  await act('pull-made-ready', 'dev takes WIP: away', ['pull_request edited'], () =>
    dev.api.call('PATCH', path, { title: 'Say goodbye' }),
  );
  await act('pull-closed', 'ada closes it unmerged', ['pull_request closed'], () => ada.closePr(pull));
  await act('pull-reopened', 'ada reopens it', ['pull_request reopened'], () => ada.reopen(pull));
}

async function playUpdates({ recording, ada, dev }: StoryWorld, pull: number): Promise<void> {
  const act = recording.act.bind(recording);
  for (const style of ['merge', 'rebase'] as const) {
    await act(`base-pushed-before-${style}`, 'ada writes a file on the base branch', ['push'], () =>
      ada.createFile({ branch: 'main', path: `${style}.txt`, content: style }),
    );
    await act(
      `pull-updated-by-${style}`,
      `dev updates the branch by ${style}, the button`,
      ['push', SYNC],
      () => dev.api.call('POST', `/repos/${REPO}/pulls/${pull}/update?style=${style}`),
    );
  }
  const sha = (await ada.api.object('GET', `/repos/${REPO}/branches/${BRANCH}`))['commit'] as { id: string };
  await act('status-set', "CI sets a status on the branch's head", ['status'], () =>
    ada.setStatus(sha.id, 'ci', 'success', 'fine'),
  );
}

async function playOthers({ recording, ada, dev, robot }: StoryWorld): Promise<void> {
  const act = recording.act.bind(recording);
  const branch = (name: string): Promise<string> =>
    recording.prepare(2, () =>
      dev.createFile({ branch: name, from: 'main', path: `${name}.txt`, content: name }),
    );
  await branch('squashed');
  const ready = await act(
    'pull-opened-ready-made',
    'dev opens one with an assignee and a reviewer',
    ['pull_request_assign assigned', 'pull_request_review_request review_requested', 'pull_request opened'],
    async () => {
      const created = await dev.api.object('POST', `/repos/${REPO}/pulls`, {
        ...{ title: 'Squash me', head: 'squashed', base: 'main' },
        ...{ assignees: [robot.login], reviewers: [ada.login] },
      });
      return Number(created['number']);
    },
  );
  await act('pull-merged-by-squash', 'ada merges it as one commit', ['push', 'pull_request closed'], () =>
    ada.mergePr(ready, 'squash'),
  );
  await branch('lost');
  await recording.prepare(1, () => dev.openPr({ title: 'Lose me', head: 'lost' }));
  await act(
    'branch-of-open-pull-deleted',
    'dev deletes the branch of an open pull request',
    ['delete', 'pull_request closed'],
    () => dev.api.call('DELETE', `/repos/${REPO}/branches/lost`),
  );
  await branch('forgotten');
  const forgotten = await recording.prepare(1, () => dev.openPr({ title: 'Forget me', head: 'forgotten' }));
  await act('pull-deleted', 'ada deletes an open pull request', ['pull_request deleted'], () =>
    ada.api.call('DELETE', `/repos/${REPO}/issues/${forgotten}`),
  );
}

async function playFork({ recording, ada, oscar }: StoryWorld): Promise<void> {
  const act = recording.act.bind(recording);
  await act('repository-forked', 'oscar forks the repository', ['fork'], () =>
    oscar.api.call('POST', `/repos/${REPO}/forks`, {}),
  );
  const fork = oscar.on('oscar/shop');
  await act('fork-pushed', 'oscar pushes a branch to his fork', [], () =>
    fork.createFile({ branch: 'idea', from: 'main', path: 'idea.txt', content: 'idea' }),
  );
  const pull = await act(
    'pull-opened-from-fork',
    'oscar opens a pull request from his fork',
    ['pull_request opened'],
    () => oscar.openPr({ title: 'An idea', head: 'oscar:idea' }),
  );
  await act('pull-from-fork-pushed', "oscar pushes to the fork's branch", [SYNC], () =>
    fork.createFile({ branch: 'idea', path: 'more-ideas.txt', content: 'more' }),
  );
  await act('pull-from-fork-closed', 'ada closes it', ['pull_request closed'], () => ada.closePr(pull));
}
