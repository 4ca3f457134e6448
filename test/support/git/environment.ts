/**
 * Environment of a git that somebody uses: nothing of this machine's configuration.
 * @param password for a forge; without it git asks nobody
 */
export function gitEnvironment(login: string, domain: string, password?: string): Record<string, string> {
  const email = `${login}@${domain}`;
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: login,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: login,
    GIT_COMMITTER_EMAIL: email,
    ...(password === undefined ? {} : authorization(`${login}:${password}`)),
  };
}

function authorization(credentials: string): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}
