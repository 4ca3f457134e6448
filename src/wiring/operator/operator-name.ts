import { hostname, userInfo } from 'node:os';
import { isOperatorName } from '../../domain/forge/operator-name.js';

/** `user@host` of this process: what the rows of commands say of who gave them. */
export function operatorName(): string {
  const name = `${userName()}@${hostname()}`.replace(/[\p{C}\p{Z}]+/gu, '_').slice(0, 128);
  return isOperatorName(name) ? name : 'unknown@unknown';
}

/** In a container the process may have a number and no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${String(process.getuid?.() ?? 'unknown')}`;
  }
}
