import { GitAccessError, GitError } from '../../domain/base/errors.js';
import { withoutToken } from './git-environment.js';
import type { GitOutput } from './run-git.js';

/** What no repetition cures: what the repository holds. */
const FLAWED = /^fatal: fsck error in pack/m;
/** And rights, a repository that is not there, certificates, redirects; the last for another host, which gets no token and no CA of ours. */
const NO_ACCESS: readonly (readonly [RegExp, string, string?])[] = [
  [
    /Authentication failed|could not read (?:Username|Password)|returned error: 40[13]|ermission denied/,
    'the forge refused the token',
    'it lets nobody read without credentials, or has no such repository',
  ],
  [
    /repository '.*' not found|returned error: 404|does not appear to be a git repository/,
    'the repository was not found',
  ],
  [
    /returned error: 30\d|unable to update url base from redirection/,
    'the forge answered with a redirect: the repository moved, or the URL is wrong',
    'it answered with a redirect: the repository moved, or its address ends with .git',
  ],
  // As git, OpenSSL and GnuTLS say it through curl.
  [
    /certificate (?:problem|subject|verif)|(?:peer|server|setting) certificate/i,
    "the forge's certificate was not accepted: set FORGE_CA_FILE",
    'its certificate was not accepted: the authorities that this system trusts count, and FORGE_CA_FILE does not',
  ],
];
const MAX_DETAIL = 600;

/** The fault of a git command that talked to the forge: final when repeating cannot help, else retryable. */
export function remoteFailure(action: string, output: GitOutput, token: string): GitError {
  const detail = plainText(withoutToken(output.stderr, token));
  const own = withoutAddresses(ownLines(output.stderr));
  // First: the lines before it quote the repository.
  if (FLAWED.test(own))
    return new GitError(
      `${action}: the repository has an object that git does not accept, on whatever branch: take it out of the history: ${detail}`,
      false,
    );
  const final = NO_ACCESS.find(([pattern]) => pattern.test(own));
  if (final !== undefined) {
    const [, ofForge, ofOthers = ofForge] = final;
    return new GitAccessError(`${action}: ${token === '' ? ofOthers : ofForge}: ${detail}`);
  }
  return new GitError(`${action}: ${detail}`, true, { away: true });
}

/** A hook of the forge says there what it likes, and may quote what was pushed. */
export function ownLines(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith('remote:'))
    .join('\n');
}

/** A repository may be called like a failure. */
function withoutAddresses(lines: string): string {
  return lines.replace(/https?:\/\/[^\s']+/g, '');
}

/** The fault of a git command on our own disk, such as a full one; worth another try. */
export function localFailure(action: string, output: GitOutput): GitError {
  return new GitError(
    `${action}: git ended with ${String(output.exitCode)}: ${plainText(output.stderr)}`,
    true,
  );
}

/** One bounded line without control, bidi or other invisible characters, fit for a message. */
export function plainText(text: string, maxLength: number = MAX_DETAIL): string {
  const line = text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim();
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
}
