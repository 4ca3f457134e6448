import { asList, asObject, flagOf, textOf } from './decode.js';
import type { GiteaClient, PathSegment } from './gitea-client.js';

/** Where Gitea's and Forgejo's Actions look for workflows, in a repository that has Actions. */
const WORKFLOWS = ['.gitea', '.forgejo', '.github'];
/** Files and directories at the root by which other CI services know their work. */
const OTHER_CI = /^(?:\.woodpecker|\.drone|\.gitlab-ci\.yml$|\.travis\.yml$|Jenkinsfile$)/;

/** What on the default branch makes CI run, as paths; empty when nothing does. */
export async function ciFiles(client: GiteaClient, repo: readonly PathSegment[]): Promise<string[]> {
  const names = await namesIn(client, [...repo, 'contents']);
  const found = names.filter((name) => OTHER_CI.test(name));
  const homes = names.filter((name) => WORKFLOWS.includes(name));
  if (homes.length === 0) return found;
  const hasActions = flagOf(
    asObject(await client.json({ method: 'GET', path: repo }), 'repo'),
    'has_actions',
  );
  for (const home of hasActions ? homes : []) {
    const workflows = await namesIn(client, [...repo, 'contents', home, 'workflows']);
    if (workflows.length > 0) found.push(`${home}/workflows`);
  }
  return found;
}

/** Empty for what is not there, or is no directory. */
async function namesIn(client: GiteaClient, path: readonly PathSegment[]): Promise<string[]> {
  const response = await client.request({ method: 'GET', path, accept: [404] });
  const listed: unknown = response.status === 404 ? [] : response.json();
  return Array.isArray(listed) ? asList(listed, 'contents').map((entry) => textOf(entry, 'name')) : [];
}
