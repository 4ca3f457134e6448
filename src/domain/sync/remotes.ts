import { InvalidInputError } from '../base/errors.js';
import { parseRepoName, type RepoRef } from '../forge/issue.js';

interface Address {
  readonly host: string;
  /** Without slashes at its ends and `.git`. */
  readonly path: string;
  /** `null` for ssh. */
  readonly http: URL | null;
}

/** `git@host:owner/repo.git`, as scp has it. */
const SCP = /^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9.-]+):(?!\/\/)([^\s]+)$/;

/**
 * Owner and name of the repository that `origin` is, which must be one of the forge; by ssh as well, since it is only the
 * name that counts. Errors: `InvalidInputError` that says what is wanted.
 * @param webUrl where the forge's repositories are, no trailing slash
 */
export function forkOf(origin: string, webUrl: string): Pick<RepoRef, 'owner' | 'repo'> {
  const forge = new URL(webUrl);
  const address = addressOf(origin);
  const prefix = forge.pathname.replace(/^\/|\/$/g, '');
  const isThere =
    address !== undefined &&
    (address.http === null ? address.host === forge.hostname : address.host === forge.host);
  const path = address?.http === null || prefix === '' ? address?.path : below(prefix, address?.path);
  const name = parseRepoName(path ?? '');
  if (isThere && name !== undefined) return name;
  throw new InvalidInputError(
    `"origin" is ${shown(origin)}, which is no repository of the forge at ${webUrl}: the fork must be there, since the ` +
      'pull request is opened there. Push it there and set the remote (git remote set-url origin ' +
      `${webUrl}/<owner>/<repository>.git), or set FORGE_GITEA_API to the forge that has it`,
  );
}

/**
 * The address that upstream is fetched from: http(s) as it is, without user and password; ssh as https, since no key of
 * anybody's is used. Errors: `InvalidInputError`.
 */
export function upstreamAddress(upstream: string): string {
  const address = addressOf(upstream);
  if (address === undefined)
    throw new InvalidInputError(
      `"upstream" is ${shown(upstream)}: it must be an http(s) or ssh address that can be read without ` +
        'credentials (git remote set-url upstream https://…)',
    );
  if (address.http === null) return `https://${address.host}/${address.path}.git`;
  const { http } = address;
  return `${http.origin}${http.pathname}`;
}

function addressOf(text: string): Address | undefined {
  const [, host, path] = SCP.exec(text) ?? [];
  if (!text.includes('://') && host !== undefined && path !== undefined)
    return { host: host.toLowerCase(), path: plain(path), http: null };
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== '' || url.hash !== '' || url.pathname === '/') return undefined;
  if (url.protocol === 'ssh:')
    return { host: url.hostname.toLowerCase(), path: plain(url.pathname), http: null };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return { host: url.host, path: plain(url.pathname), http: url };
}

function plain(path: string): string {
  return path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
}

function below(prefix: string, path: string | undefined): string | undefined {
  return path?.startsWith(`${prefix}/`) === true ? path.slice(prefix.length + 1) : undefined;
}

/** People have put their passwords in there; one may have an `@` in it. */
function shown(address: string): string {
  return JSON.stringify(address.replace(/\/\/[^/]*@/, '//***@').slice(0, 200));
}
