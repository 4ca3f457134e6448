import { eachRecord, newCommits, type Candidate } from './candidate.js';
import { plainText } from '../git-failure.js';
import { readTexts } from './new-objects.js';

/** Characters that git takes away from both ends of a name or address (`crud` in its ident.c), and inside one. */
const CRUD = /^[\0- .,:;<>"\\']+|[\0- .,:;<>"\\']+$|[\n<>]/g;
/** After the address: seconds, and the time zone. */
const DATE = / \d+ [+-]\d{4}$/;

/**
 * Every new commit is by the agent, as author and as committer: whoever merges goes by the name. What others wrote comes
 * in by merging it, and then is on the forge already; what the turn was given counts even if the forge has forgotten it.
 * Read are the objects as they are: `git log` converts a whole commit from the encoding that it names, its headers too,
 * so another author appears than the one that is stored.
 */
export async function hasItsAuthor(candidate: Candidate): Promise<string | undefined> {
  const { author, baseSha, branch } = candidate.request;
  const agent = `${author.name.replace(CRUD, '')} <${author.email.replace(CRUD, '')}>`;
  const again = `make your own commits again (git checkout -B ${branch} ${baseSha}, then`;
  const commits: string[] = [];
  await eachRecord(candidate, ['rev-list', ...newCommits(candidate), baseSha], '\n', (id) => {
    commits.push(id);
  });
  let why: string | undefined;
  await readTexts(candidate, commits, (commit, text) => {
    if (why !== undefined) return;
    const headers = (text.split('\n\n', 1)[0] ?? '').split('\n');
    const encoding = valuesOf(headers, 'encoding').find((value) => !/^utf-?8$/i.test(value));
    const other = otherPerson(headers, 'author', agent) ?? otherPerson(headers, 'committer', agent);
    if (other !== undefined)
      why =
        `commit ${commit.slice(0, 12)} has ${other}, and only commits of ${plainText(agent, 160)} are published. Merge the work of ` +
        'others (refs/remotes/base/*, refs/remotes/pr/*) instead of picking or rebasing it; leave the identity as it was ' +
        `set, and ${again} commit again)`;
    else if (encoding !== undefined)
      why =
        `commit ${commit.slice(0, 12)} has the encoding ${plainText(encoding, 40)}, and only texts in UTF-8 are published: ` +
        `${again} git -c i18n.commitEncoding=utf-8 commit)`;
  });
  return why;
}

/** Of a header line each; one that goes on with the line before it begins with a space. */
function valuesOf(headers: readonly string[], name: string): string[] {
  return headers.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
}

function otherPerson(headers: readonly string[], role: string, agent: string): string | undefined {
  const people = valuesOf(headers, role).map((value) => value.replace(DATE, ''));
  const other = people.find((person) => person !== agent);
  if (other !== undefined) return `the ${role} ${plainText(other, 160)}`;
  return people.length === 1 ? undefined : `${String(people.length)} ${role}s`;
}
