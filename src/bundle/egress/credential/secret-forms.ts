import { percentEncoded } from '../../../domain/base/percent-encoded.js';

/** Base64 characters that depend on what stands before the secret, by how many bytes that is (modulo 3). */
const UNSURE_AT_START = [0, 2, 3] as const;

/**
 * The ways in which an answer may carry a secret: as it is, in base64 of either alphabet wherever in the encoded text it
 * stands, percent-encoded, and as JSON writes it. A net for accidents, not for an upstream that means to tell.
 */
export function secretForms(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = UNSURE_AT_START.flatMap((unsure, before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret, 'utf8')]);
    const whole = bytes.length - (bytes.length % 3);
    // The last characters depend on what follows, so only whole groups are looked for.
    const text = bytes.subarray(0, whole).toString('base64').slice(unsure);
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const forms = [secret, json, json.replaceAll('/', '\\/'), percentEncoded(secret), ...base64];
  return [...new Set(forms)].filter((form) => form.length >= 8);
}

/** As long as what it replaces, so that lengths announced stay true. */
export function blanked(form: string): string {
  return '*'.repeat(Buffer.byteLength(form, 'utf8'));
}

/** The same for a text at hand: a header, a line of the log. */
export function blankSecret(text: string, secret: string | undefined): string {
  if (secret === undefined) return text;
  return secretForms(secret).reduce((clean, form) => clean.replaceAll(form, blanked(form)), text);
}
