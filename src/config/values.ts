/** How a setting's text becomes a value. Every parser throws `InvalidInputError` saying what would be right. */
import path from 'node:path';
import { readUsd } from '../domain/run/budget.js';
import type { ListenAddress } from '../domain/base/listen-address.js';
import { isLoopbackHost } from '../domain/base/loopback.js';
import { formatDuration, parseDuration } from '../domain/base/duration.js';
import { parsePrice } from '../domain/egress/model-prices.js';
import { whyNotEncrypted, whyNoUpstream } from '../domain/egress/route-checks.js';
import { InvalidInputError } from '../domain/base/errors.js';

export interface ParseContext {
  /** Absolute path of `$BOT_BOTTLE_HOME`; relative paths start here. */
  readonly home: string;
}

export type Parser<T> = (text: string, context: ParseContext) => T;

/** A kind of value: how the documentation calls it, and how its text is read. */
export interface Kind<T> {
  readonly type: string;
  readonly parse: Parser<T>;
}

function kind<T>(type: string, parse: Parser<T>): Kind<T> {
  return { type, parse };
}

const BYTES_PER_UNIT = { '': 1, B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;
const SIZE = /^(\d{1,12})(B|KiB|MiB|GiB)?$/;

/** `1048576`, `64KiB`, `1MiB`, `2GiB` in bytes. */
export function parseSize(text: string): number {
  const match = SIZE.exec(text);
  if (match === null) throw new InvalidInputError('expected a size such as 1048576, 64KiB, 1MiB or 2GiB');
  const bytes = Number(match[1]) * BYTES_PER_UNIT[(match[2] ?? '') as keyof typeof BYTES_PER_UNIT];
  if (!Number.isSafeInteger(bytes)) throw new InvalidInputError('a size beyond what can be counted exactly');
  return bytes;
}

export function integer(min: number, max: number): Kind<number> {
  return kind('number', (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new InvalidInputError(`expected a number from ${min} to ${max}`);
    return value;
  });
}

/** US dollars with at most two decimals; answers millionths. */
export function usDollars(max: number): Kind<number> {
  return kind('money', (text) => {
    const microUsd = readUsd(text);
    if (microUsd === undefined || microUsd > max * 1e6)
      throw new InvalidInputError(`expected US dollars from 0.01 to ${String(max)}`);
    return microUsd;
  });
}

export function durationBetween(minMs: number, maxMs: number): Kind<number> {
  return kind('duration', (text) => {
    const ms = parseDuration(text);
    if (ms < minMs || ms > maxMs) {
      throw new InvalidInputError(`expected ${formatDuration(minMs)} to ${formatDuration(maxMs)}`);
    }
    return ms;
  });
}

/** `off` and `0` are `null`. */
export function orOff<T>({ type, parse }: Kind<T>): Kind<T | null> {
  return kind(`${type} or \`off\``, (text, context) =>
    text === 'off' || text === '0' ? null : parse(text, context),
  );
}

export function sizeBetween(min: number, max: number): Kind<number> {
  return kind('size', (text) => {
    const bytes = parseSize(text);
    if (bytes < min || bytes > max) throw new InvalidInputError(`expected ${min} to ${max} bytes`);
    return bytes;
  });
}

export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  const names = values.map((value) => `\`${value}\``).join(', ');
  return kind(names.replace(/, (?=[^,]*$)/, ' or '), (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new InvalidInputError(`expected one of ${values.join(', ')}`);
    return found;
  });
}

export function matching(type: string, pattern: RegExp, what: string): Kind<string> {
  return kind(type, (text) => {
    if (!pattern.test(text)) throw new InvalidInputError(`expected ${what}`);
    return text;
  });
}

/** Comma-separated in the environment, a list in the file. Its items are called by their kind with an s. */
export function listOf(item: Kind<string>): Kind<readonly string[]> {
  return kind(`list of ${item.type}s`, (text, context) => {
    const items = text.split(',').map((part) => item.parse(part.trim(), context));
    return [...new Set(items)];
  });
}

/** A path below home unless absolute. One with no slash is refused: it may be the secret itself, in the wrong place. */
export const filePath: Kind<string> = kind('path', (text, { home }) => {
  if (!text.includes('/') || text.includes('\0')) {
    throw new InvalidInputError(
      'expected a path with a slash in it, such as secrets/forge-token or /run/token',
    );
  }
  return path.resolve(home, text);
});

/** `http` or `https`, no credentials, query or fragment; no slash at the end. */
export const httpUrl: Kind<string> = kind('URL', (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidInputError('expected an http:// or https:// address');
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError('credentials do not belong in an address: bot-bottle secret set <name>');
  }
  if (url.search !== '' || url.hash !== '') throw new InvalidInputError('an address without ? and #');
  return url.href.replace(/\/+$/, '');
});

/** The same for an address that gets a key: without TLS only where nobody else is on the way. */
export const modelAddress: Kind<string> = kind('URL', (text, context) => {
  const address = httpUrl.parse(text, context);
  const wrong = whyNoUpstream(address) ?? whyNotEncrypted(address);
  if (wrong !== undefined) throw new InvalidInputError(`an address that ${wrong}`);
  return address;
});

/** The same for what only its receiver may read. */
export const notifyUrl: Kind<string> = kind('URL', (text, context) => {
  const address = httpUrl.parse(text, context);
  const { protocol, hostname } = new URL(address);
  if (protocol === 'http:' && !isLoopbackHost(hostname))
    throw new InvalidInputError('expected https: http only to a loopback address');
  return address;
});

/** As it was written; see `parsePrice`. */
export const modelPrice: Kind<string> = kind('price', (text) => {
  parsePrice(text);
  return text;
});

const HOST_PORT = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/;

/** `127.0.0.1:8080`, `localhost:7233`, `[::1]:8080` (the brackets are not part of `host`). */
export const hostPort: Kind<ListenAddress> = kind('host:port', (text) => {
  const match = HOST_PORT.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535) {
    throw new InvalidInputError('expected host:port, such as 127.0.0.1:8080');
  }
  return { host: match[1].replace(/^\[|\]$/g, ''), port };
});
