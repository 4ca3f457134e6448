/** Requests to the door that were made from recorded ones by somebody who wants it to fall over, or to let him in. */
import { createHmac } from 'node:crypto';
import { findingBody, findingHeaders } from '../../../src/webhook/events/reconciled.js';
import { rawBodyOf, recordedActs } from '../deliveries/recorded-delivery.js';
import type { RecordedDelivery } from '../deliveries/recorded-delivery.js';
import { deliveryHeaders, SECRET } from './sign.js';

export interface DoorRequest {
  readonly path: string;
  readonly method: string;
  /** Names and values in turn, as they are sent. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** What was done to it. */
  readonly how: string;
}

type Random = () => number;
const GITEA = '/webhooks/gitea';
const RECONCILED = '/reconciled';

const deliveries: readonly RecordedDelivery[] = [...recordedActs().values()].flatMap(
  ({ deliveries: some }) => some,
);
const pick = <T>(random: Random, all: readonly T[]): T => {
  const found = all[Math.floor(random() * all.length)];
  if (found === undefined) throw new Error('nothing to pick');
  return found;
};
const flipped = (random: Random, body: Buffer): Buffer => {
  const copy = Buffer.from(body);
  const at = Math.floor(random() * copy.length);
  copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
  return copy;
};

/** Values that parsers, comparisons and paths have fallen over before. */
const NASTY: readonly unknown[] = [
  ...[null, true, '', '0', '12', 'NaN', -1, 0, 0.5, -0, 1e308, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 2 ** 64],
  ...[
    [],
    {},
    [[]],
    { length: 1e9 },
    { __proto__: null, constructor: 1 },
    '__proto__',
    'constructor',
    'toString',
  ],
  ...[
    '../..',
    'a/b',
    'a..b',
    '.git',
    'x.git',
    '%2e%2e',
    'a\u0000b',
    '\ud800',
    '\u202egnp',
    'ｏwner',
    'A'.repeat(20_000),
  ],
  ...[
    "'; DROP TABLE delivery; --",
    '<script>',
    '${7*7}',
    'bot-bottle:coder',
    'bot-bottle/12-abcde',
    'reconciled',
  ],
];

/** A value somewhere in the payload is another one, or gone, or its key is a property of every object. */
function changed(random: Random, body: object): string {
  const copy = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
  // What is read of it is hit more often than the rest.
  const known = ['action', 'number', 'issue', 'repository', 'sender', 'comment', 'pull_request', 'is_pull'];
  let at = copy;
  for (let depth = 0; depth < 4; depth += 1) {
    const own = Object.keys(at);
    const read = own.filter((key) =>
      [...known, 'owner', 'head', 'labels', 'assignees', 'login', 'name', 'id'].includes(key),
    );
    const keys = random() < 0.7 && read.length > 0 ? read : own;
    if (keys.length === 0) break;
    const key = pick(random, keys);
    const next = at[key];
    if (typeof next === 'object' && next !== null && random() < 0.7) {
      at = next as Record<string, unknown>;
      continue;
    }
    const kind = random();
    if (kind < 0.15) Reflect.deleteProperty(at, key);
    else at[key] = pick(random, NASTY);
    break;
  }
  const text = JSON.stringify(copy);
  const kind = random();
  if (kind < 0.06) return text.replace('{', '{"__proto__":{"number":12,"isAdmin":true},');
  if (kind < 0.12) return text.replace('{', '{"constructor":{"prototype":{"number":12}},');
  if (kind < 0.16) return text.replace(/"number":\d+/, '"number":1e400');
  if (kind < 0.2) return text.replace(/"number":\d+/, '"number":9007199254740993');
  if (kind < 0.24) return text.replace('{', '{"action":"closed","number":1,');
  return text;
}

const garbage: readonly ((random: Random, body: Buffer) => Buffer)[] = [
  () => Buffer.alloc(0),
  () => Buffer.from('[]'),
  () => Buffer.from('null'),
  () => Buffer.from('NaN'),
  () => Buffer.from('['.repeat(60_000)),
  () => Buffer.from('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)),
  () => Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  () => Buffer.from(`{"issue":${'['.repeat(30_000)}${']'.repeat(30_000)}}`),
  (random) => Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256))),
  (_random, body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
  (_random, body) => Buffer.concat([body, Buffer.from([0])]),
  (_random, body) => Buffer.concat([body, body]),
  (_random, body) => Buffer.from(body.toString('utf8'), 'utf16le'),
  (random, body) => body.subarray(0, Math.floor(random() * body.length)),
  (_random, body) => Buffer.from(body.toString('latin1').replace('"action"', '"\xff\xfe"'), 'latin1'),
  (_random, body) => Buffer.from(`payload=${encodeURIComponent(body.toString())}`),
  (random, body) => flipped(random, body),
];

/** Its bytes are not those that were signed, or its signature is not one. */
const forgeries: readonly ((random: Random, request: DoorRequest) => DoorRequest)[] = [
  (random, one) => ({ ...one, body: flipped(random, one.body) }),
  (random, one) => ({ ...one, body: one.body.subarray(0, Math.floor(random() * one.body.length)) }),
  (_random, one) => ({ ...one, body: Buffer.concat([one.body, Buffer.from(' ')]) }),
  (random, one) =>
    withHeaders(one, (value) => {
      const at = value.length - 1 - Math.floor(random() * 64);
      return value.slice(0, at) + (value[at] === '0' ? '1' : '0') + value.slice(at + 1);
    }),
  // One of the two is right.
  (random, one) => {
    const spoilt = pick(
      random,
      one.headers.filter(([name]) => /signature/i.test(name)),
    )[0];
    const zeros = (value: string): string => value.replace(/[0-9a-f]{64}$/, '0'.repeat(64));
    return {
      ...one,
      headers: one.headers.map(([name, value]) => [name, name === spoilt ? zeros(value) : value] as const),
    };
  },
  (_random, one) => withHeaders(one, (value) => value.slice(0, -1)),
  (_random, one) => withHeaders(one, (value) => `${value}0`),
  (_random, one) => withHeaders(one, (value) => value.toUpperCase()),
  (_random, one) => withHeaders(one, (value) => `sha256=${value}`),
  (_random, one) => withHeaders(one, (value) => `${value}, ${value}`),
  (_random, one) => withHeaders(one, () => ''),
  (_random, one) => withHeaders(one, () => '0'.repeat(64)),
  (_random, one) => withHeaders(one, () => createHmac('sha256', '').update(one.body).digest('hex')),
  (_random, one) => withHeaders(one, () => createHmac('sha256', `${SECRET} `).update(one.body).digest('hex')),
  (_random, one) =>
    withHeaders(one, () => createHmac('sha512', SECRET).update(one.body).digest('hex').slice(0, 64)),
  (_random, one) => ({ ...one, headers: one.headers.filter(([name]) => !/signature/i.test(name)) }),
  (random, one) => {
    const signed = one.headers.filter(([name]) => /signature/i.test(name));
    const gone = pick(random, signed)[0];
    return { ...one, headers: one.headers.filter(([name]) => name !== gone) };
  },
  (random, one) => ({ ...one, headers: [...one.headers, pick(random, one.headers)] }),
  (_random, one) => ({
    ...one,
    headers: one.headers.map(([name, value]) => [name.toUpperCase(), value] as const),
  }),
];

function withHeaders(one: DoorRequest, change: (value: string) => string): DoorRequest {
  const headers = one.headers.map(([name, value]) =>
    /signature/i.test(name) ? ([name, change(value)] as const) : ([name, value] as const),
  );
  return { ...one, headers };
}

const transports: readonly ((random: Random, request: DoorRequest) => DoorRequest)[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    '',
    'application/jsonp',
    'application/json; charset=utf-16',
    'APPLICATION/JSON',
  ].map((type) => (_random: Random, one: DoorRequest) => replaced(one, 'content-type', type)),
  ...['gzip', 'br', 'identity', 'x'].map((encoding) => (_random: Random, one: DoorRequest) => ({
    ...one,
    headers: [...one.headers, ['content-encoding', encoding] as const],
  })),
  ...['GET', 'PUT', 'DELETE', 'PATCH'].map((method) => (_random: Random, one: DoorRequest) => ({
    ...one,
    method,
  })),
  ...[
    '/',
    '/webhooks',
    '/webhooks/gitea/',
    '/webhooks/gitea?x=%',
    '/webhooks/%2e%2e/reconciled',
    '/%E0%A4%A',
    '/WEBHOOKS/gitea',
    '/healthz',
  ].map((path) => (_random: Random, one: DoorRequest) => ({ ...one, path })),
  (random, one) => replaced(one, 'x-gitea-event-type', pick(random, deliveries).eventType),
  (random, one) =>
    replaced(
      one,
      'x-gitea-event-type',
      pick(random, ['', 'reconciled', '__proto__', 'constructor', 'x'.repeat(5_000)]),
    ),
  (_random, one) => ({ ...one, headers: one.headers.filter(([name]) => name !== 'x-gitea-event-type') }),
  (_random, one) => ({ ...one, body: Buffer.concat([one.body, Buffer.alloc(300_000, ' ')]) }),
  (_random, one) => ({ ...one, path: one.path === GITEA ? RECONCILED : GITEA }),
];

function replaced(one: DoorRequest, name: string, value: string): DoorRequest {
  return { ...one, headers: [...one.headers.filter(([other]) => other !== name), [name, value] as const] };
}

function delivery(body: Buffer, eventType: string, how: string): DoorRequest {
  return {
    path: GITEA,
    method: 'POST',
    headers: Object.entries(deliveryHeaders(body, eventType)),
    body,
    how,
  };
}

function finding(random: Random): object {
  const kind = pick(random, ['state', 'comment', 'review', 'push', 'checks']);
  const number = 1 + Math.floor(random() * 8);
  const cause = {
    kind,
    ...(kind === 'comment' ? { commentId: 5 } : {}),
    ...(kind === 'review' ? { reviewId: 5 } : {}),
    ...(kind === 'checks' ? { sha: 'a'.repeat(40) } : {}),
  };
  const found = {
    forge: 'gitea',
    owner: 'ada',
    repo: 'shop',
    repoId: 2,
    number,
    isPull: false,
    headRef: null,
    cause,
  } as const;
  return { ...found, seen: `seen ${String(random())}` };
}

/** Never twice the same, mostly: each has a mark of its own in a text that nobody reads. */
export function mutatedRequest(random: Random, serial: number): DoorRequest {
  const one = pick(random, deliveries);
  const body = { ...one.body, commit_id: `serial ${String(serial)}` };
  const raw = rawBodyOf({ ...one, body });
  const kind = random();
  const good = delivery(raw, one.eventType, 'as it is');
  if (kind < 0.12) return good;
  if (kind < 0.42) return { ...pick(random, forgeries)(random, good), how: 'forged' };
  if (kind < 0.66) return delivery(Buffer.from(changed(random, body)), one.eventType, 'changed, then signed');
  if (kind < 0.76) return delivery(pick(random, garbage)(random, raw), one.eventType, 'garbage, then signed');
  if (kind < 0.88) return { ...pick(random, transports)(random, good), how: 'sent otherwise' };
  const found = finding(random);
  const text = kind < 0.93 ? findingBody(found as Parameters<typeof findingBody>[0]) : changed(random, found);
  const signed = Object.entries(findingHeaders(SECRET, text));
  const request = {
    path: RECONCILED,
    method: 'POST',
    headers: signed,
    body: Buffer.from(text),
    how: 'a finding',
  };
  return random() < 0.5
    ? request
    : { ...pick(random, [...forgeries, ...transports])(random, request), how: 'a forged finding' };
}
