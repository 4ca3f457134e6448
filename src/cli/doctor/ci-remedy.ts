/** What matters where a repository has CI: the gate refuses its own files, not the scripts that they run. */
export const CI_REMEDY =
  'pushing a branch runs it, with an agent’s scripts: set FORGE_PUBLISH to fork, or give it no secrets on branches ' +
  'bot-bottle/* (docs/security.md)';
