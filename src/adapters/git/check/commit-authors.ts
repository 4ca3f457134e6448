import { newCommits, quarantined, type Candidate } from './candidate.js';
import { plainText } from '../git-failure.js';

/** Characters that git takes away from both ends of a name or address (`crud` in its ident.c), and inside one. */
const CRUD = /^[\0- .,:;<>"\\']+|[\0- .,:;<>"\\']+$|[\n<>]/g;
const NO_MAILMAP = ['--no-mailmap', '--no-show-signature', '--no-notes'];

/**
 * Every new commit is by the agent, as author and as committer: whoever merges goes by the name. What others wrote comes
 * in by merging it, and then is on the forge already; what the turn was given counts even if the forge has forgotten it.
 */
export async function hasItsAuthor(candidate: Candidate): Promise<string | undefined> {
  const { author, baseSha, branch } = candidate.request;
  const name = author.name.replace(CRUD, '');
  const email = author.email.replace(CRUD, '');
  const format = '--format=%H%x00%an%x00%ae%x00%cn%x00%ce';
  const range = [...newCommits(candidate), baseSha];
  const lines = await quarantined(candidate, ['log', ...NO_MAILMAP, format, ...range]);
  for (const line of lines.split('\n')) {
    const [commit = '', ...people] = line.split('\0');
    if (commit === '' || people.join('\0') === [name, email, name, email].join('\0')) continue;
    const [authorName = '', authorEmail = '', committerName = '', committerEmail = ''] = people;
    const other =
      authorName === name && authorEmail === email
        ? `the committer ${shown(committerName, committerEmail)}`
        : `the author ${shown(authorName, authorEmail)}`;
    return (
      `commit ${commit.slice(0, 12)} has ${other}, and only commits of ${shown(name, email)} are published. Merge the work of ` +
      'others (refs/remotes/base/*, refs/remotes/pr/*) instead of picking or rebasing it; leave the identity as it was ' +
      `set, and make your own commits again with it (git checkout -B ${branch} ${baseSha}, then commit again)`
    );
  }
  return undefined;
}

function shown(name: string, email: string): string {
  return `${plainText(name, 60)} <${plainText(email, 100)}>`;
}
