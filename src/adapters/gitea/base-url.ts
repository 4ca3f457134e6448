const API_PATH = '/api/v1';

/** The API's base URL from the setting `FORGE_GITEA_API`, with or without `/api/v1`, below a path prefix if the forge has one. */
export function apiBaseUrl(setting: string): URL {
  const url = new URL(setting);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = path.endsWith(API_PATH) ? path : path + API_PATH;
  return url;
}
