import { ForgeHttpError } from '../../domain/base/errors.js';
import { excerpt } from './http/excerpt.js';

// Gitea names the scopes in its refusal: "... required=[write:issue], token scope=read:issue,read:user"
const SCOPES = /required=\[([a-z:, ]+)\], token scope=([a-z:,]*)/;

/** The error for an answer with an error status; its message says what to do. */
export function statusError(
  method: string,
  path: string,
  status: number,
  body: string,
  token: string,
  retryAfterMs?: number,
): ForgeHttpError {
  const said = excerpt(body, token);
  const message = `${method} ${path}: ${advice(status, body, path)}${said === '' ? '' : ` (forge: ${said})`}`;
  return new ForgeHttpError(status, method, path, message, { retryAfterMs });
}

function advice(status: number, body: string, path: string): string {
  if (status === 401) {
    return '401, the forge does not accept the token: it is wrong, expired or revoked; put a valid one of the bot into FORGE_TOKEN_FILE, or FORGE_PUBLISH_TOKEN_FILE for one that publishes';
  }
  if (status === 403) {
    const scopes = SCOPES.exec(body);
    if (scopes !== null) {
      return `403, the token lacks the scope ${scopes[1] ?? ''}: make a token with it for the bot (this one has ${scopes[2] ?? ''})`;
    }
    return "403, the bot's account lacks the right: give it write access to the repository and make it a member of the organization";
  }
  // Every token has an account: this is another place.
  if (status === 404 && path === '/user') return '404, the forge has no /user: is FORGE_GITEA_API right?';
  if (status === 404)
    return '404, not there, or hidden from the bot: check the name and that the bot may read it';
  if (status === 429) return '429, the forge limits our rate';
  if (status >= 300 && status < 400) {
    return `${String(status)}, a redirect, which is not followed: FORGE_GITEA_API must be the address the forge really has, and a repository may have been renamed or transferred`;
  }
  if (status >= 500) return `${String(status)}, the forge failed`;
  return `${String(status)}, the forge refused the request`;
}
