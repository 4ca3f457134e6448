/** How a secret of ours may be written down; each form is in whatever contains the secret written that way. */
import { percentEncoded } from '../base/percent-encoded.js';

/** A form shorter than this would be found everywhere. */
const MIN_LENGTH = 8;
/** Beginning of a form that is looked for: a long secret is known by it, and a search must not cost gigabytes. */
const MAX_LENGTH = 256;
const WHITE_SPACE = /[\t\n\r ]/g;

/**
 * The secret as it is, in Base64 (both alphabets, at each of the three alignments), hexadecimal, percent-encoded and
 * escaped as in JSON. White space is left out, as `SecretSearch` leaves it out of what it looks at.
 */
export function secretForms(secret: string): string[] {
  const bytes = latin1(new TextEncoder().encode(secret));
  const hex = hexOf(bytes, '');
  const base64 = [0, 1, 2].map((shift) => base64Inside(bytes, shift));
  const forms = [
    bytes,
    latin1(new TextEncoder().encode(JSON.stringify(secret).slice(1, -1))),
    percentEncoded(secret),
    hexOf(bytes, '%'),
    hexOf(bytes, '%').toUpperCase(),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ].map((form) => form.replace(WHITE_SPACE, '').slice(0, MAX_LENGTH));
  return [...new Set(forms)].filter((form) => form.length >= MIN_LENGTH);
}

/** What the bytes become inside a longer text whose part before them has `shift` bytes too many for a group of three. */
function base64Inside(bytes: string, shift: number): string {
  const text = btoa('\0'.repeat(shift) + bytes);
  // Characters at both ends are shared with the neighbours.
  const whole = Math.floor(((bytes.length + shift) * 8) / 6);
  return text.slice(shift === 0 ? 0 : shift + 1, whole);
}

function hexOf(bytes: string, before: string): string {
  return Array.from(bytes, (byte) => before + byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** A string with one character a byte. */
function latin1(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
