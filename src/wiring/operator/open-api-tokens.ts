import { apiTokensFile } from '../../adapters/files/api-tokens-file.js';
import { ensureHome } from '../../config/home.js';
import type { ApiTokens } from '../../domain/api/api-token.js';

export function openApiTokens(home: string): ApiTokens {
  ensureHome(home);
  return apiTokensFile(home, Date.now);
}
