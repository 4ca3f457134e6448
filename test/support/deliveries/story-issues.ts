import { numberIn } from '../gitea/api.js';
import type { StoryWorld } from './story-world.js';
import { REPO } from './story-world.js';

const LABEL = 'bot-bottle:coder';

/** Everything that happens to an issue. */
export async function playIssues(world: StoryWorld): Promise<void> {
  const { recording, ada, oscar, robot } = world;
  const act = recording.act.bind(recording);

  const ready = await act(
    'issue-created-ready-made',
    'ada creates an issue with a label and an assignee',
    ['issue_assign assigned', 'issues opened', 'issue_label label_updated'],
    () =>
      ada.createIssue({
        title: 'Greet <everybody> & "more"',
        body: 'Überall – 日本 🎉\u2028\nWrite `if (a < b && b > c)`.',
        labels: [LABEL],
        assignees: [robot.login],
      }),
  );
  const bare = await act(
    'issue-created',
    'oscar, who may only read, creates an issue',
    ['issues opened'],
    () => oscar.createIssue({ title: 'It is slow' }),
  );
  await act('issue-label-added', 'ada adds a label', ['issue_label label_updated'], () =>
    ada.addLabel(bare, LABEL),
  );
  await act(
    'issue-label-added-again',
    'ada adds the label that is on it',
    ['issue_label label_updated'],
    () => ada.addLabel(bare, LABEL),
  );
  await act('issue-label-removed', 'ada removes the label', ['issue_label label_updated'], () =>
    ada.removeLabel(bare, LABEL),
  );
  await act(
    'issue-labels-in-one-second',
    'ada adds two labels, one after the other',
    ['issue_label label_updated', 'issue_label label_updated'],
    async () => {
      await nextSecond();
      await ada.addLabel(bare, LABEL);
      await ada.addLabel(bare, 'urgent');
    },
  );
  await act('issue-labels-cleared', 'ada removes all labels at once', ['issue_label label_cleared'], () =>
    ada.api.call('DELETE', `/repos/${REPO}/issues/${bare}/labels`),
  );
  await act(
    'issue-label-then-assign',
    'ada adds the label, then assigns',
    ['issue_label label_updated', 'issue_assign assigned'],
    async () => {
      await ada.addLabel(bare, LABEL);
      await ada.assign(bare, robot.login);
    },
  );
  await act('issue-unassigned', 'ada takes the assignee off', ['issue_assign unassigned'], () =>
    ada.unassign(bare, robot.login),
  );
  await playComments(world, ready);
  await playChanges(world, bare);
}

async function playComments({ recording, ada, dev }: StoryWorld, issue: number): Promise<void> {
  const act = recording.act.bind(recording);
  const comment = await act(
    'issue-comment-created',
    'dev comments on an issue',
    ['issue_comment created'],
    () => dev.comment(issue, 'And in <French>, please & thank you.'),
  );
  await act('issue-comment-edited', 'dev edits the comment', ['issue_comment edited'], () =>
    dev.editComment(comment, 'And in Italian.'),
  );
  const ofComment = `/repos/${REPO}/issues/comments/${comment}`;
  await act('reaction-added', 'ada reacts to an issue and to a comment', [], async () => {
    await ada.api.call('POST', `/repos/${REPO}/issues/${issue}/reactions`, { content: 'eyes' });
    await ada.api.call('POST', `${ofComment}/reactions`, { content: 'heart' });
  });
  await act('issue-comment-deleted', 'dev deletes the comment', ['issue_comment deleted'], () =>
    dev.api.call('DELETE', ofComment),
  );
}

async function playChanges({ recording, ada }: StoryWorld, issue: number): Promise<void> {
  const act = recording.act.bind(recording);
  const path = `/repos/${REPO}/issues/${issue}`;
  const milestone = numberIn(
    await ada.api.object('POST', `/repos/${REPO}/milestones`, { title: 'One' }),
    'id',
  );
  await act('issue-title-edited', 'ada edits the title', ['issues edited'], () =>
    ada.editIssue(issue, { title: 'It is too slow' }),
  );
  await act('issue-milestone-set', 'ada sets a milestone', ['issue_milestone milestoned'], () =>
    ada.api.call('PATCH', path, { milestone }),
  );
  await act('issue-locked', 'ada locks the issue', [], () =>
    ada.api.call('PUT', `${path}/lock`, { lock_reason: 'Too heated' }),
  );
  await act('issue-unlocked', 'ada unlocks the issue', [], () => ada.api.call('DELETE', `${path}/lock`));
  await act('issue-closed', 'ada closes the issue', ['issues closed'], () => ada.closeIssue(issue));
  await act('issue-reopened', 'ada reopens the issue', ['issues reopened'], () => ada.reopen(issue));
  await act('issue-deleted', 'ada deletes the issue', ['issues deleted'], () => ada.api.call('DELETE', path));
}

/** The moments in payloads are whole seconds. */
async function nextSecond(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000)));
}
