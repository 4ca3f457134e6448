/** Blanks secrets that are known by their value. */
import { percentEncoded } from '../base/percent-encoded.js';

export const REDACTED = '[redacted]';

/** A function that blanks the exact values anywhere in a text: as they are, and as JSON or a URL writes them. */
export function redact(secrets: Iterable<string>, mark = REDACTED): (text: string) => string {
  const forms = [...secrets].flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percentEncoded(secret),
  ]);
  // The longest first: one secret may be the beginning of another.
  const ordered = [...new Set(forms)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((result, form) => result.replaceAll(form, mark), text);
}
