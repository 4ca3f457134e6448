/** What stands between secrets and the forge, as the operator has configured it. */
import path from 'node:path';
import { GitleaksScanner } from '../adapters/gitleaks/gitleaks-scanner.js';
import type { Config } from '../config/load-config.js';
import { knownSecrets } from '../config/known-secrets.js';
import { InvalidInputError } from '../domain/base/errors.js';
import { SecretGuard } from '../domain/secret/secret-guard.js';
import { broughtPrograms, findExecutable } from './find-executable.js';

/** Errors: `InvalidInputError`, with what to do, when the scanner is on and can't do its work. */
export async function secretGuardOfConfig(config: Config): Promise<SecretGuard> {
  const scanner =
    config.FORGE_SECRET_SCAN === 'off'
      ? null
      : await GitleaksScanner.start({ program: gitleaksProgram(config) });
  return new SecretGuard(scanner, () => knownSecrets(config));
}

/** Errors: `InvalidInputError` when there is no such program. */
export function gitleaksProgram({ GITLEAKS }: Pick<Config, 'GITLEAKS'>): string {
  if (path.isAbsolute(GITLEAKS)) return GITLEAKS;
  const found = findExecutable(GITLEAKS, broughtPrograms());
  if (found !== undefined) return found;
  throw new InvalidInputError(
    `there is no program ${GITLEAKS} to look for secrets with: run script/bootstrap --only gitleaks, set GITLEAKS to its path, or turn the scan off with FORGE_SECRET_SCAN=off`,
  );
}
