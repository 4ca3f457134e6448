import { randomBytes } from 'node:crypto';

/** Something that gitleaks takes for a GitHub token (rule `github-pat`), put together here so that no file holds one. */
export function plantedKey(): string {
  return [
    'ghp',
    randomBytes(60)
      .toString('base64')
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 36),
  ].join('_');
}
