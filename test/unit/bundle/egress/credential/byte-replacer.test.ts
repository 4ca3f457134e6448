import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ByteReplacer, type Replacement } from '../../../../../src/bundle/egress/credential/byte-replacer.js';

const plain = (find: string, put: string): Replacement => ({
  find: Buffer.from(find),
  put: Buffer.from(put),
  whole: false,
});

async function through(replacer: ByteReplacer, chunks: readonly string[]): Promise<string> {
  const out: Buffer[] = [];
  replacer.on('data', (chunk: Buffer) => out.push(chunk));
  const ended = new Promise((resolve) => replacer.once('end', resolve));
  for (const chunk of chunks) replacer.write(Buffer.from(chunk));
  replacer.end();
  await ended;
  return Buffer.concat(out).toString();
}

/** Cut at the given places, whatever they are. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => text.slice(start, at[index] ?? text.length));
}

describe('replacing bytes in a stream', () => {
  it('is the same however the stream is cut', async () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'ab', 'aab', 'secret', 'sec', 'ret', 'ss'), {
      maxLength: 30,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(words, fc.array(fc.nat(200), { maxLength: 10 }), async (parts, places) => {
        const text = parts.join('');
        const replacer = new ByteReplacer([plain('secret', '******'), plain('aab', '<>')]);
        // Neither of them overlaps the other or itself, so the order does not matter.
        assert.equal(
          await through(replacer, cut(text, places)),
          text.replaceAll('secret', '******').replaceAll('aab', '<>'),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('takes the first that begins, and the longer of two that begin there', async () => {
    assert.equal(
      await through(new ByteReplacer([plain('ab', '1'), plain('abc', '2'), plain('cd', '3')]), ['xabcd']),
      'x2d',
    );
  });

  it('is about bytes, not about characters', async () => {
    assert.equal(await through(new ByteReplacer([plain('é', 'e')]), ['caf', 'é au lait']), 'cafe au lait');
    const replacer = new ByteReplacer([plain('é', 'e')]);
    const out: Buffer[] = [];
    replacer.on('data', (chunk: Buffer) => out.push(chunk));
    replacer.write(Buffer.from([0xc3]));
    replacer.write(Buffer.from([0xa9, 0xff]));
    replacer.end();
    await new Promise((resolve) => replacer.once('end', resolve));
    assert.deepEqual(Buffer.concat(out), Buffer.from([0x65, 0xff]));
  });

  it('keeps back only what may be the beginning of a match', () => {
    const replacer = new ByteReplacer([plain('secret', '******')]);
    let out = '';
    replacer.on('data', (chunk: Buffer) => (out += chunk.toString()));
    replacer.write('data: x\n\n');
    assert.equal(out, 'data: x\n\n');
    replacer.write('a sec');
    assert.equal(out, 'data: x\n\na ');
    replacer.write('ond\n\n');
    assert.equal(out, 'data: x\n\na second\n\n');
  });

  it('replaces a whole name only, also at the end of a chunk and of the stream', async () => {
    const from = 'https://a.example';
    const only = (): ByteReplacer =>
      new ByteReplacer([{ find: Buffer.from(from), put: Buffer.from('X'), whole: true }]);
    for (const follows of ['', '/', '"', ' ', '\n', '<', '?q', '#f', ')', '\\/'])
      for (const chunks of [[from + follows], [from, follows], [from.slice(0, 5), from.slice(5) + follows]])
        assert.equal(await through(only(), chunks), `X${follows}`, JSON.stringify(chunks));
    for (const follows of ['.evil.org', ':8443/', '-b', 'b', '1', '@evil.org', '_', '%2e'])
      for (const chunks of [[from + follows], [from, follows]])
        assert.equal(await through(only(), chunks), from + follows, JSON.stringify(chunks));
  });
});
