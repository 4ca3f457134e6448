import { gitleaksProgram } from '../../../src/wiring/secret-guard-of-config.js';

/** The gitleaks that `script/bootstrap` brought. */
export function gitleaksBinary(): string {
  return gitleaksProgram({ GITLEAKS: process.env['GITLEAKS_BIN'] ?? 'gitleaks' });
}
