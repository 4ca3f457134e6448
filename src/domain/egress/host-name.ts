const MAX_HOST_CHARACTERS = 253;
const MAX_LABEL_CHARACTERS = 63;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** A name whose last label looks like this is read as an IPv4 address by somebody on the way (WHATWG, "ends in a number"). */
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;

/**
 * Why a text is no host name that a bottle may reach: the names that an allowlist can have and that are looked up at all.
 * Lower-case ASCII letters, digits and hyphens (RFC 1123), at least two labels, so neither `localhost` nor a name that
 * a search domain would complete; no address, no dot at the end. A name in another script is written as `xn--…`.
 * @returns what is wrong, to stand behind the name; `undefined` for a good one
 */
export function whyNoHost(host: string): string | undefined {
  if (host === '') return 'is empty';
  if (host.length > MAX_HOST_CHARACTERS) return `is longer than ${String(MAX_HOST_CHARACTERS)} characters`;
  if (/[^ -~]/.test(host)) return 'has characters that are not ASCII: write it as xn--…';
  if (/[A-Z]/.test(host)) return 'must be in lower case';
  if (/^\[|:/.test(host)) return 'is an address, not a name';
  if (host.endsWith('.')) return 'must not end with a dot';
  const labels = host.split('.');
  if (NUMBER.test(labels.at(-1) ?? '')) return 'is an address, not a name';
  const wrong = labels.find((label) => label.length > MAX_LABEL_CHARACTERS || !LABEL.test(label));
  if (wrong === '') return 'has an empty part between dots';
  if (wrong !== undefined)
    return 'must have letters, digits and hyphens only, at most 63 between two dots, no hyphen at their ends';
  if (labels.length < 2) return 'needs at least two parts, such as example.org';
  return undefined;
}
