import { recordIn } from '../../../domain/base/is-record.js';
import { escapeTerminal } from '../../../domain/text/escape.js';

const EXCERPT_CHARS = 300;

/**
 * Text of an answer, fit for a log line: the `message` of a JSON body, else its beginning; control, line-separator
 * and bidirectional characters escaped, the token removed should the server repeat it, at most 300 characters.
 */
export function excerpt(body: string, token: string): string {
  const message = recordIn(body)?.['message'];
  const text = typeof message === 'string' ? message : body;
  // Before the cut, which could leave half of it.
  const kept = text.replaceAll(token === '' ? '\0' : token, '[token]').slice(0, EXCERPT_CHARS * 4);
  const safe = escapeTerminal(kept).trim();
  return safe.length > EXCERPT_CHARS ? `${safe.slice(0, EXCERPT_CHARS - 1)}…` : safe;
}
