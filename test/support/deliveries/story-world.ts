import { join } from 'node:path';
import { numberIn } from '../gitea/api.js';
import type { Person } from '../gitea/person.js';
import type { Gitea } from '../gitea/start-gitea.js';
import { SECRET } from '../webhook/sign.js';
import type { Catcher } from './catcher.js';
import { Clone } from './clone.js';
import { PageSession } from './page-session.js';
import { HOOK_PATH, MARKER_PATH, Recording } from './recording.js';

export const ORG = 'guild';
export const REPO = 'ada/shop';

/** Everything that a repository's hook can be told; "issues" and "pull_request" stand for all their kinds. */
const ALL_EVENTS = [
  ...['create', 'delete', 'fork', 'push', 'issues', 'issue_comment', 'pull_request', 'wiki', 'repository'],
  ...['release', 'package', 'status', 'workflow_run', 'workflow_job'],
];

/** The people of the story, made one after the other so that everything has the same ids each time. */
export interface StoryWorld {
  readonly recording: Recording;
  readonly admin: Person;
  /** Owns `ada/shop`. */
  readonly ada: Person;
  /** May write. */
  readonly dev: Person;
  /** Has an account and nothing else. */
  readonly oscar: Person;
  /** A program's account, which may write. */
  readonly robot: Person;
  readonly adaOnPages: PageSession;
  readonly devOnPages: PageSession;
  /** Number of the repository's hook. */
  readonly hookId: number;
  /** Of `dev`. */
  readonly clone: Clone;
  /** Hooks of the organization and of the whole server, for what concerns repositories as such. */
  addWiderHooks(): Promise<void>;
}

export async function storyWorld(gitea: Gitea, catcher: Catcher, directory: string): Promise<StoryWorld> {
  const { admin, url } = gitea;
  const people: Person[] = [];
  for (const login of ['ada', 'dev', 'oscar', 'robot']) people.push((await gitea.addPerson(login)).on(REPO));
  const [ada, dev, oscar, robot] = people;
  if (!ada || !dev || !oscar || !robot) throw new Error('people are missing');
  await admin.api.call('POST', '/orgs', { username: ORG, visibility: 'public' });
  await gitea.addRepository(ada, 'shop');
  for (const { login } of [dev, robot])
    await ada.api.call('PUT', `/repos/${REPO}/collaborators/${login}`, { permission: 'write' });
  await gitea.addRepository(admin, 'marker');

  const hook = (path: string, events: readonly string[], extra: object = {}): object => ({
    type: 'gitea',
    active: true,
    events,
    config: { url: catcher.url + path, content_type: 'json', secret: SECRET, ...extra },
  });
  const markers = `/repos/${admin.login}/marker/hooks`;
  const marker = numberIn(await admin.api.object('POST', markers, hook(MARKER_PATH, ['push'])), 'id');
  const hookId = numberIn(
    await ada.api.object('POST', `/repos/${REPO}/hooks`, hook(HOOK_PATH, ALL_EVENTS)),
    'id',
  );
  const recording = new Recording(catcher, async () => {
    await admin.api.call('POST', `${markers}/${String(marker)}/tests`);
  });
  // What was pushed before the hook was there may still be on its way to it.
  await recording.settle();

  return {
    ...{ recording, admin, ada, dev, oscar, robot, hookId },
    adaOnPages: await PageSession.signIn(url, ada.login, ada.password),
    devOnPages: await PageSession.signIn(url, dev.login, dev.password),
    clone: await Clone.of(dev, join(directory, 'clone')),
    addWiderHooks: async () => {
      await admin.api.call('POST', `/orgs/${ORG}/hooks`, hook(HOOK_PATH, ALL_EVENTS));
      await admin.api.call(
        'POST',
        '/admin/hooks',
        hook(HOOK_PATH, ['repository'], { is_system_webhook: 'true' }),
      );
    },
  };
}
