import { numberIn } from '../gitea/api.js';
import { ORG, REPO } from './story-world.js';
import type { StoryWorld } from './story-world.js';

/** What happens to the repository as a whole, to its hook, and around it. Afterwards it is gone. */
export async function playRepository(world: StoryWorld): Promise<void> {
  const { recording, ada, admin, dev, oscar, hookId } = world;
  const act = recording.act.bind(recording);
  const issue = await recording.prepare(1, () => ada.createIssue({ title: 'Stay' }));
  const change = (settings: object) => (): Promise<unknown> =>
    ada.api.call('PATCH', `/repos/${REPO}`, settings);

  await act('hook-tested', "ada sends the hook's test delivery", ['push'], () =>
    ada.api.call('POST', `/repos/${REPO}/hooks/${hookId}/tests`),
  );
  await playRedelivery(world, issue);

  await world.addWiderHooks();
  await act('repository-described', 'ada describes the repository', [], change({ description: 'A shop' }));
  await act('repository-made-private', 'ada makes it private', [], change({ private: true }));
  await act('repository-made-public', 'ada makes it public', [], change({ private: false }));
  await act('repository-archived', 'ada archives it', [], change({ archived: true }));
  await act(
    'archived-issue-labelled',
    'dev labels an issue of the archived repository',
    ['issue_label label_updated'],
    () => dev.addLabel(issue, 'urgent'),
  );
  await act('repository-unarchived', 'ada takes it out of the archive', [], change({ archived: false }));
  await act('collaborator-added', 'ada adds oscar as a collaborator and removes him', [], async () => {
    await ada.api.call('PUT', `/repos/${REPO}/collaborators/${oscar.login}`, { permission: 'write' });
    await ada.api.call('DELETE', `/repos/${REPO}/collaborators/${oscar.login}`);
  });
  const team = numberIn(
    await admin.api.object('POST', `/orgs/${ORG}/teams`, {
      ...{ name: 'sellers', permission: 'read', units: ['repo.issues'] },
    }),
    'id',
  );
  const member = `/teams/${String(team)}/members/${dev.login}`;
  await act('member-added', 'dev becomes a member of an organization', [], () =>
    admin.api.call('PUT', member),
  );
  await act('member-removed', 'dev is removed from it', [], () => admin.api.call('DELETE', member));

  await act('repository-renamed', 'ada renames it from shop to store', [], change({ name: 'store' }));
  await act(
    'comment-after-rename',
    'dev comments on an issue of the renamed repository',
    ['issue_comment created'],
    () => dev.on('ada/store').comment(issue, 'Where am I?'),
  );
  await act('repository-transferred', 'an administrator gives it to an organization', [], () =>
    admin.api.call('POST', '/repos/ada/store/transfer', { new_owner: ORG }),
  );
  const moved = `${ORG}/store`;
  await act(
    'comment-after-transfer',
    'dev comments on an issue of the transferred repository',
    ['issue_comment created', 'issue_comment created'],
    () => dev.on(moved).comment(issue, 'And now?'),
  );
  await act(
    'repository-deleted',
    'an administrator deletes it',
    ['repository deleted', 'repository deleted'],
    () => admin.api.call('DELETE', `/repos/${moved}`),
  );
}

/** The API can't send a delivery again; the hook's page can. */
async function playRedelivery(
  { recording, dev, adaOnPages, hookId }: StoryWorld,
  issue: number,
): Promise<void> {
  await recording.act(
    'delivered-again',
    'dev comments, and ada sends that delivery again, on the page of the hook',
    ['issue_comment created', 'issue_comment created'],
    async () => {
      await dev.comment(issue, 'Once.');
      const id = await recording.firstDeliveryId();
      await adaOnPages.post(`/${REPO}/settings/hooks/${hookId}/replay/${id}`, {});
    },
  );
}
