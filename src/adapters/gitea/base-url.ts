import { InvalidInputError } from '../../domain/base/errors.js';

const API_PATH = '/api/v1';

/**
 * The API's base URL from `FORGE_GITEA_API`, with or without `/api/v1`, below a path prefix if the forge has one; no
 * trailing slash. Errors: `InvalidInputError`, which never repeats the value since it may hold credentials.
 */
export function apiBaseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch (cause) {
    throw new InvalidInputError('FORGE_GITEA_API is no URL: write it like https://forge.example/api/v1', {
      cause,
    });
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new InvalidInputError('FORGE_GITEA_API must begin with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(
      'FORGE_GITEA_API must hold no user or password: the token has a file of its own',
    );
  }
  if (url.search !== '' || url.hash !== '')
    throw new InvalidInputError('FORGE_GITEA_API must have no query or fragment');
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(API_PATH) ? path : path + API_PATH;
  return url;
}
