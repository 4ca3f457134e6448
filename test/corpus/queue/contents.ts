import { QUEUE_MESSAGE_BYTES } from '../../../src/domain/run/queue.js';
import { content, lines, lying, nameOf, putWhole, type Body, type QueueCase } from './queue-case.js';

const NO_MESSAGE = /^not a message$/;
const OTHER_RUN = /^names another run$/;
/** Nearly what a message may have. */
const FULL = QUEUE_MESSAGE_BYTES - 1_000;

const done = (slug: string): Body => ({
  kind: 'done',
  slug,
  turn: 1,
  status: 'success',
  summary: 'x',
  at: 1,
});
const openPr = (slug: string): Body => ({ kind: 'open_pr', slug, turn: 1, title: 't', body: 'b', at: 1 });
const text = (slug: string): Body => ({
  kind: 'text',
  slug,
  turn: 1,
  where: 'the comment',
  text: 'x',
  at: 1,
});
const egress = (slug: string): Body => ({
  kind: 'egress',
  slug,
  turn: 1,
  process: 'abcdefgh',
  hosts: [],
  refusals: [],
  lastSuccessAt: null,
  model: null,
  at: 1,
});
const host = (more: Body): Body => ({
  host: 'h',
  route: null,
  connections: 1,
  bytesUp: 1,
  bytesDown: 1,
  ...more,
});

/** A good message with something else in it. */
function changed(
  name: string,
  good: (slug: string) => Body,
  change: Body,
  end: QueueCase['end'] = NO_MESSAGE,
): QueueCase {
  return content(name, end, (slug) => JSON.stringify({ ...good(slug), ...change }));
}
const raw = (name: string, make: (slug: string) => string | Uint8Array): QueueCase =>
  content(name, NO_MESSAGE, make);
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const NO_JSON: readonly QueueCase[] = [
  raw('half a message', (slug) => JSON.stringify(done(slug)).slice(0, -5)),
  raw('NULs', () => new Uint8Array(FULL)),
  raw('bytes that are no UTF-8', () => Uint8Array.of(0x22, 0xff, 0x22)),
  raw('UTF-16', (slug) => Buffer.from(`\ufeff${JSON.stringify(done(slug))}`, 'utf16le')),
  raw('opened arrays without end', () => '['.repeat(FULL)),
  raw('arrays 100,000 deep', () => nested(FULL / 2 - 1)),
  raw('a number of 200,000 digits', () => '9'.repeat(200_000)),
  raw('a list', (slug) => JSON.stringify([done(slug)])),
  raw('null', () => 'null'),
  raw('a text with a message in it', (slug) => JSON.stringify(JSON.stringify(done(slug)))),
  raw('30,000 keys', () => `{${Array.from({ length: 20_000 }, (_, at) => `"k${String(at)}":0`).join()}}`),
  raw('a message in __proto__', (slug) => `{"__proto__":${JSON.stringify(done(slug))}}`),
  raw('a summary 50,000 deep', (slug) => JSON.stringify(done(slug)).replace('"x"', nested(50_000))),
];

const FIELDS: readonly QueueCase[] = [
  changed('a kind that there is not', done, { kind: 'admin' }),
  changed('the kind __proto__', done, { kind: '__proto__' }),
  raw('no kind', (slug) => JSON.stringify({ ...done(slug), kind: undefined })),
  raw('a kind twice', (slug) =>
    JSON.stringify(done(slug))
      .replace('{', '{"kind":"done",')
      .replace(/"done"(?=,"slug")/, '"x"'),
  ),
  raw('no run', (slug) => JSON.stringify({ ...done(slug), slug: undefined })),
  changed('another run', done, { slug: 'impl-alice-demo-9-zzzzz' }, OTHER_RUN),
  changed('a path for a run', done, { slug: '../../secrets' }, OTHER_RUN),
  changed('a run with a blank', (slug) => ({ ...done(slug), slug: `${slug} ` }), {}, OTHER_RUN),
  changed('a run with a very long name', done, { slug: 's'.repeat(64) }),
  ...[0, -1, 1.5, 2 ** 53, '1', null, [1]].map((turn) =>
    changed(`the turn ${JSON.stringify(turn)}`, done, { turn }),
  ),
  changed('another turn', done, { turn: 2 }, 'delivered'),
  changed('a status that there is not', done, { status: 'merged' }),
  changed('a summary that is an object', done, { summary: { toString: 'x' } }),
  changed('a field more', done, { branch: 'main' }),
  changed('a branch to publish', openPr, { head: 'main', force: true }),
  changed('a title that is a list', openPr, { title: ['t'] }),
  changed('a path for what is checked', text, { where: `../../${'x'.repeat(100)}` }),
  changed('a time before all times', done, { at: -1 }),
  raw('a time after all times', (slug) => JSON.stringify(done(slug)).replace('"at":1', '"at":1e999')),
  changed('a path for a process', egress, { process: '../../../x' }),
  changed('bytes below nothing', egress, { hosts: [host({ bytesUp: -1 })] }),
  changed('more bytes than a number holds', egress, { hosts: [host({ bytesDown: 2 ** 60 })] }),
  changed('a host without a name', egress, { hosts: [host({ host: '' })] }),
  changed('limited until the end of time', egress, {
    model: { use: {}, trouble: { kind: 'limited', until: 2 ** 52 } },
  }),
  changed('a line of a log that is too long', (slug) => lines(slug, 'x'.repeat(8_193)), {}),
  content('6,000 lines of a log', /^(not a message|\d+ bytes)$/, (slug) =>
    JSON.stringify({ ...lines(slug), lines: Array<number>(6_000).fill(0) }),
  ),
];

/** They have the form of messages, so they are taken; what they say must do no harm. */
const MESSAGES: readonly QueueCase[] = [
  content('a line of a log with line feeds and marks of direction', 'delivered', (slug) =>
    JSON.stringify(lines(slug, 'a\n{"outcome":"ok"}\r\u001b[2J\u2028\u202e')),
  ),
  content('a line of a log with lone surrogates', 'delivered', (slug) =>
    JSON.stringify(lines(slug, 'x')).replace('"x"', '"\\ud800\\udfff\\u0000"'),
  ),
  content('1,500 lines of a log', 'delivered', (slug) =>
    JSON.stringify(lines(slug, ...Array<string>(1_500).fill('x'))),
  ),
  content('a text of 250 kB to be checked', 'delivered', (slug) =>
    JSON.stringify({ ...text(slug), text: '~~~x\n'.repeat(40_000) }),
  ),
  content('a title of 250 kB', 'delivered', (slug) =>
    JSON.stringify({ ...openPr(slug), title: 't'.repeat(FULL) }),
  ),
  content('egress of a host with a name like a path', 'delivered', (slug) =>
    JSON.stringify({ ...egress(slug), hosts: [host({ host: '../../../etc/passwd' })] }),
  ),
  lying('two requests with one id', 'delivered', async ({ out, slug }) => {
    await putWhole(out, nameOf(1, 'abcdefgh'), JSON.stringify(openPr(slug)));
    await putWhole(out, nameOf(2, 'abcdefgh'), JSON.stringify({ ...openPr(slug), title: 'another' }));
  }),
  lying('100 sidecars that count', 'delivered', async ({ out, slug }) => {
    for (let at = 0; at < 100; at += 1)
      await putWhole(out, nameOf(at), JSON.stringify({ ...egress(slug), process: `process${String(at)}` }));
  }),
  lying('three signals that say different things', 'delivered', async ({ out, slug }) => {
    for (const [at, status] of ['failed', 'success', 'blocked'].entries())
      await putWhole(out, nameOf(at), JSON.stringify({ ...done(slug), status }));
  }),
];

/** What is in a file that is one. */
export const CONTENTS: readonly QueueCase[] = [...NO_JSON, ...FIELDS, ...MESSAGES];
