import { ForgeHttpError } from '../../domain/errors.js';
import { excerpt } from '../forge-http/excerpt.js';

/** GitHub says 410 for what was deleted and 301 for what moved away; both are "not there" under this name. */
const NOT_THERE = new Set([301, 410]);

/**
 * The error for an answer with an error status; its message says what to do.
 * With `limited`, GitHub limits our rate: that becomes 429, which may be repeated, also where it said 403.
 */
export function statusError(
  request: { readonly method: string; readonly path: string },
  answer: { readonly status: number; readonly body: string },
  token: string,
  { limited = false, retryAfterMs }: { limited?: boolean; retryAfterMs?: number | undefined } = {},
): ForgeHttpError {
  const { method, path } = request;
  const said = excerpt(messageOf(answer.body), token);
  const message = `${method} ${path}: ${advice(answer.status, limited)}${said === '' ? '' : ` (forge: ${said})`}`;
  const status = limited ? 429 : NOT_THERE.has(answer.status) ? 404 : answer.status;
  return new ForgeHttpError(status, method, path, message, { retryAfterMs });
}

function advice(status: number, limited: boolean): string {
  if (limited) return `${String(status)}, the forge limits our rate`;
  if (status === 301)
    return '301, not there any more: the repository was renamed, or the issue moved to another one';
  if (status === 401)
    return '401, the forge does not accept the token: it is wrong, expired or revoked; put a valid one of the bot into FORGE_TOKEN_FILE';
  if (status === 403)
    return "403, the token or the bot's account lacks the right: give the token the permission, the account write access to the repository, and make it a member of the organization";
  if (status === 404)
    return '404, not there, or hidden from the bot: check the name and that the token may read it';
  if (status === 410) return '410, not there any more: deleted';
  if (status >= 300 && status < 400)
    return `${String(status)}, a redirect, which is not followed: set FORGE_GITHUB_API to the address the forge really has`;
  if (status >= 500) return `${String(status)}, the forge failed`;
  return `${String(status)}, the forge refused the request`;
}

/** The `message`, with what a 422 says of each field, since "Validation Failed" alone helps nobody. */
function messageOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== 'object' || parsed === null || !('message' in parsed)) return body;
    const errors: readonly unknown[] =
      'errors' in parsed && Array.isArray(parsed.errors) ? parsed.errors : [];
    const details = errors.slice(0, 5).map((error) => detailOf(error));
    return [String(parsed.message), ...details.filter((text) => text !== '')].join('; ');
  } catch {
    // not JSON: its text is shown
    return body;
  }
}

function detailOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return '';
  const { message, field, code } = error as Readonly<Record<string, unknown>>;
  if (typeof message === 'string') return message;
  return [field, code].filter((part) => typeof part === 'string').join(': ');
}
