/** A new Gitea as somebody installs it in the browser, and the people of the other tests in it. */
import { randomBytes } from 'node:crypto';
import { Person } from '../gitea/person.js';
import {
  addCollaborator,
  addToken,
  addToOrg,
  BOT,
  createPerson,
  createUser,
  ORG,
  PUBLISHER_SCOPES,
  REPO,
  SIDECAR_SCOPES,
} from '../gitea/start-gitea.js';
import { waitUntil } from '../stack/stack.js';

export interface InstalledGitea {
  /** Owns `alice/demo`, where the bot may write. */
  readonly alice: Person;
  readonly bot: { readonly login: string; readonly sidecarToken: string; readonly publisherToken: string };
}

const INSTALL_MS = 60_000;

export async function installGitea(url: string): Promise<InstalledGitea> {
  const password = randomBytes(16).toString('hex');
  await submitInstallation(url, password);
  const token = await addToken(url, 'forge-admin', password, ['all']);
  const { api: admin } = new Person(url, 'forge-admin', password, token, REPO);
  const botPassword = await createUser(admin, BOT);
  const alice = await createPerson(admin, url, 'alice');
  await admin.call('POST', '/orgs', { username: ORG, visibility: 'public' });
  await addToOrg(admin, BOT);
  await alice.api.call('POST', '/user/repos', { name: 'demo', auto_init: true, default_branch: 'main' });
  await addCollaborator(alice.api, REPO, BOT, 'write');
  const sidecarToken = await addToken(url, BOT, botPassword, SIDECAR_SCOPES);
  const publisherToken = await addToken(url, BOT, botPassword, PUBLISHER_SCOPES);
  return { alice, bot: { login: BOT, sidecarToken, publisherToken } };
}

/** The page's own values, and an administrator. */
async function submitInstallation(url: string, password: string): Promise<void> {
  let page = '';
  await waitUntil('the page that installs Gitea', async () => {
    page = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      (answer) => answer.text(),
      () => '',
    );
    return page.includes('name="admin_name"');
  });
  const form = new URLSearchParams();
  for (const [tag] of page.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(tag, 'name');
    if (name !== '' && attribute(tag, 'type') !== 'checkbox') form.set(name, attribute(tag, 'value'));
  }
  form.set('admin_name', 'forge-admin');
  form.set('admin_email', 'forge-admin@example.invalid');
  form.set('admin_passwd', password);
  form.set('admin_confirm_passwd', password);
  const answer = await fetch(url, { method: 'POST', body: form });
  const text = await answer.text();
  const refused = /flash-error[^>]*>\s*<p>([^<]*)/.exec(text)?.[1];
  if (!answer.ok || refused !== undefined)
    throw new Error(`Gitea was not installed: ${String(answer.status)} ${refused ?? ''}`);
  await waitUntil(
    'the installed Gitea',
    () =>
      fetch(`${url}/api/v1/version`, { signal: AbortSignal.timeout(5_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    INSTALL_MS,
  );
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}
