import { BRANCH, playReviews } from './story-reviews.js';
import { REPO } from './story-world.js';
import type { StoryWorld } from './story-world.js';

const SYNC = 'pull_request_sync synchronized';

/** Everything that happens to a pull request, from its branch to its merge. */
export async function playPulls(world: StoryWorld): Promise<void> {
  const { recording, ada, dev, clone } = world;
  const act = recording.act.bind(recording);
  const issue = await recording.prepare(1, () => ada.createIssue({ title: 'Say goodbye' }));

  await act('branch-pushed', 'dev pushes a new branch with git', ['create', 'push'], async () => {
    await clone.commit(BRANCH, 'goodbye.sh', 'echo bye\necho bye\n');
    await clone.push(BRANCH);
  });
  const pull = await act(
    'pull-opened',
    'dev opens a pull request that closes an issue',
    ['pull_request opened'],
    () => dev.openPr({ title: 'Say goodbye', head: BRANCH, body: `Closes #${issue}` }),
  );
  await act('pull-pushed', 'dev pushes to its branch', ['push', SYNC], async () => {
    await clone.commit(BRANCH, 'more.txt', 'more\n');
    await clone.push(BRANCH);
  });
  await playTalk(world, pull);
  await playReviews(world, pull);
  const sha = (await ada.api.object('GET', `/repos/${REPO}/branches/${BRANCH}`))['commit'] as { id: string };
  await act('status-set', "CI sets a status on the branch's head", ['status'], () =>
    ada.setStatus(sha.id, 'ci', 'success', 'fine'),
  );
  await act(
    'pull-merged',
    'ada merges it with a merge commit, which closes the issue',
    ['push', 'pull_request closed', 'issues closed'],
    () => ada.mergePr(pull),
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
  await act('pull-label-added', 'ada adds a label to it', ['pull_request_label label_updated'], () =>
    ada.addLabel(pull, 'bot-bottle:coder'),
  );
  await act('pull-assigned', 'ada assigns it', ['pull_request_assign assigned'], () =>
    ada.assign(pull, robot.login),
  );
  const path = `/repos/${REPO}/pulls/${pull}`;
  await act('pull-made-draft', 'dev puts WIP: before the title', ['pull_request edited'], () =>
    dev.api.call('PATCH', path, { title: 'WIP: Say goodbye' }),
  );
  await recording.prepare(1, () => dev.api.call('PATCH', path, { title: 'Say goodbye' }));
  await act('pull-closed', 'ada closes it unmerged', ['pull_request closed'], () => ada.closePr(pull));
  await act('pull-reopened', 'ada reopens it', ['pull_request reopened'], () => ada.reopen(pull));
}

async function playOthers({ recording, ada, dev, robot }: StoryWorld): Promise<void> {
  const act = recording.act.bind(recording);
  const branch = (name: string): Promise<string> =>
    recording.prepare(2, () =>
      dev.createFile({ branch: name, from: 'main', path: `${name}.txt`, content: name }),
    );
  await branch('ready');
  await act(
    'pull-opened-ready-made',
    'dev opens one with an assignee',
    ['pull_request_assign assigned', 'pull_request opened'],
    () =>
      dev.api.call('POST', `/repos/${REPO}/pulls`, {
        ...{ title: 'Take me', head: 'ready', base: 'main', assignees: [robot.login] },
      }),
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

async function playFork({ recording, oscar }: StoryWorld): Promise<void> {
  const act = recording.act.bind(recording);
  await act('repository-forked', 'oscar forks the repository', ['fork'], () =>
    oscar.api.call('POST', `/repos/${REPO}/forks`, {}),
  );
  const fork = oscar.on('oscar/shop');
  await act('fork-pushed', 'oscar pushes a branch to his fork', [], () =>
    fork.createFile({ branch: 'idea', from: 'main', path: 'idea.txt', content: 'idea' }),
  );
  await act(
    'pull-opened-from-fork',
    'oscar opens a pull request from his fork',
    ['pull_request opened'],
    () => oscar.openPr({ title: 'An idea', head: 'oscar:idea' }),
  );
  await act('pull-from-fork-pushed', "oscar pushes to the fork's branch", [SYNC], () =>
    fork.createFile({ branch: 'idea', path: 'more-ideas.txt', content: 'more' }),
  );
}
