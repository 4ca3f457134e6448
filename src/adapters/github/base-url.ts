import { InvalidInputError } from '../../domain/errors.js';

/** Pages, not APIs: people copy these from the address bar. */
const PAGES = new Set(['github.com', 'www.github.com']);

/**
 * The API's base URL from `FORGE_GITHUB_API`: `https://api.github.com`, or `https://host/api/v3` of a GitHub Enterprise
 * server; no trailing slash. Errors: `InvalidInputError`, which never repeats the value since it may hold credentials.
 */
export function apiBaseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch (cause) {
    throw new InvalidInputError(
      'FORGE_GITHUB_API is no URL: write it like https://api.github.com or https://github.example/api/v3',
      { cause },
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new InvalidInputError('FORGE_GITHUB_API must begin with http:// or https://');
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(
      'FORGE_GITHUB_API must hold no user or password: the token has a file of its own',
    );
  }
  if (url.search !== '' || url.hash !== '')
    throw new InvalidInputError('FORGE_GITHUB_API must have no query or fragment');
  if (PAGES.has(url.hostname))
    throw new InvalidInputError('FORGE_GITHUB_API must be the API, https://api.github.com, not the pages');
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/**
 * Where the same server has its pages and repositories, no trailing slash: an Enterprise server's API is a path below
 * them, GitHub's own (github.com, and `api.<name>.ghe.com`) a host of its own. Errors: `InvalidInputError`.
 */
export function githubWebUrl(api: string): string {
  const url = apiBaseUrl(api);
  if (url.hostname === 'api.github.com' || /^api\.[a-z0-9-]+\.ghe\.com$/.test(url.hostname))
    url.hostname = url.hostname.slice('api.'.length);
  url.pathname = url.pathname.replace(/\/api\/v3$/, '');
  return url.href.replace(/\/+$/, '');
}
