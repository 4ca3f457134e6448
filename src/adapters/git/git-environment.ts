import { InvalidInputError } from '../../domain/base/errors.js';
import { percentEncoded } from '../../domain/base/percent-encoded.js';
import type { Remote } from './remote.js';

/** Environment of a git that touches only local repositories of ours. */
export function localEnvironment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    // No transport at all.
    GIT_ALLOW_PROTOCOL: '',
  };
}

/**
 * Environment of a git that talks to the forge. The token goes in as a header for the forge's origin, by environment:
 * neither the command line nor the URL shows it, and no other host gets it (redirects are not followed).
 */
export function remoteEnvironment({
  url,
  token,
  caFile,
  configFile = '/dev/null',
}: Omit<Remote, 'name'>): Record<string, string> {
  const env = localEnvironment();
  const target = httpAddress(url);
  // git does not hand settings of the environment on to the process that reads the other repository.
  if (target === undefined) return { ...env, GIT_ALLOW_PROTOCOL: 'file', GIT_CONFIG_GLOBAL: configFile };
  const config: [string, string][] = [
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
  ];
  if (token !== '')
    config.push([`http.${target.origin}/.extraHeader`, `Authorization: Basic ${basic(token)}`]);
  env['GIT_CONFIG_COUNT'] = String(config.length);
  config.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${String(index)}`] = key;
    env[`GIT_CONFIG_VALUE_${String(index)}`] = value;
  });
  if (caFile !== undefined) env['GIT_SSL_CAINFO'] = caFile;
  env['GIT_ALLOW_PROTOCOL'] = target.protocol.slice(0, -1);
  return env;
}

/** A header line cannot be forged through the token: Base64 has no line break. Gitea takes a token as the password. */
function basic(token: string): string {
  return Buffer.from(`bot-bottle:${token}`).toString('base64');
}

/** Takes every form of the token out of text that git or the forge produced. */
export function withoutToken(text: string, token: string): string {
  if (token === '') return text;
  return [basic(token), percentEncoded(token), token].reduce(
    (rest, form) => rest.replaceAll(form, '***'),
    text,
  );
}

/** `undefined` for an absolute path. Nothing else is taken: git would run a program for `ext::` and others. */
function httpAddress(url: string): URL | undefined {
  if (url.startsWith('/')) return undefined;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new InvalidInputError('a clone URL must be http(s) or an absolute path');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new InvalidInputError('a clone URL must not contain a user or password');
  }
  return parsed;
}
