import assert from 'node:assert/strict';
import { packSnapshot, unpackSnapshot } from '../../../../src/activities/transcript/snapshot.js';
import { filesOfTar, tarOfFiles } from '../../../../src/activities/transcript/tar.js';
import { isRecord } from '../../../../src/domain/base/is-record.js';

const PARTS = [
  { path: '/home/agent/.cli/sessions', tar: Uint8Array.of(1) },
  { path: '/home/agent/.cli/state.db', tar: Uint8Array.of(2) },
];

type Index = Readonly<Record<string, unknown>>;

/** A whole snapshot, with another index before its parts. */
async function withIndex(change: (index: Index) => unknown, name = 'snapshot.json'): Promise<Uint8Array> {
  const packed = await packSnapshot({ provider: 'claude', providerVersion: '1.2.3', turn: 7, parts: PARTS });
  const [first, ...parts] = (await filesOfTar(packed)) ?? [];
  const index: unknown = JSON.parse(Buffer.from(first?.content ?? []).toString());
  assert.ok(isRecord(index));
  return tarOfFiles([{ name, content: Buffer.from(JSON.stringify(change(index))) }, ...parts]);
}

const parts = (index: Index): readonly Index[] => index['parts'] as readonly Index[];

describe('the index of a snapshot', () => {
  it('may say that its provider has no version', async () => {
    const read = await unpackSnapshot(await withIndex((index) => ({ ...index, providerVersion: null })));
    assert.deepEqual([read?.provider, read?.providerVersion, read?.parts.length], ['claude', null, 2]);
  });

  for (const [what, change] of Object.entries<(index: Index) => unknown>({
    'no object': () => 1,
    nothing: () => null,
    'of a later version': (index) => ({ ...index, version: 2 }),
    'without parts': ({ version, provider, providerVersion, turn }) => ({
      ...{ version, provider, providerVersion, turn },
    }),
    'with parts that are no list': (index) => ({ ...index, parts: { length: 2 } }),
    'with a provider that is no name': (index) => ({ ...index, provider: 1 }),
    'with a turn that is no number': (index) => ({ ...index, turn: '7' }),
    'with a version of the provider that is no text': (index) => ({ ...index, providerVersion: 1 }),
    'with fewer parts than files': (index) => ({ ...index, parts: parts(index).slice(1) }),
    'with more parts than files': (index) => ({ ...index, parts: [...parts(index), ...parts(index)] }),
    'with a part that is nothing': (index) => ({ ...index, parts: [parts(index)[0], null] }),
    'with a part that has no path': (index) => ({
      ...index,
      parts: [parts(index)[0], { ...parts(index)[1], path: 1 }],
    }),
    'with a part that has no hash': (index) => ({
      ...index,
      parts: [{ ...parts(index)[0], sha256: null }, parts(index)[1]],
    }),
    'with the hash of another part': (index) => ({
      ...index,
      parts: parts(index).map(({ path }) => ({ path, sha256: parts(index)[0]?.['sha256'] })),
    }),
  }))
    it(`makes it not whole when it is ${what}`, async () => {
      assert.equal(await unpackSnapshot(await withIndex(change)), undefined);
    });

  it('stands first, under its own name, before parts under theirs', async () => {
    assert.equal(await unpackSnapshot(await withIndex((index) => index, 'other.json')), undefined);
    const [first, ...rest] = (await filesOfTar(await withIndex((index) => index))) ?? [];
    assert.ok(first !== undefined);
    const renamed = rest.map(({ content }, at) => ({ name: `${String(at + 2)}.tar`, content }));
    assert.equal(await unpackSnapshot(await tarOfFiles([first, ...renamed])), undefined);
    assert.notEqual(await unpackSnapshot(await tarOfFiles([first, ...rest])), undefined);
  });

  it('is not looked for in a file that holds nothing, or text that is no JSON', async () => {
    assert.equal(await unpackSnapshot(new Uint8Array()), undefined);
    const text = await tarOfFiles([{ name: 'snapshot.json', content: Buffer.from('{') }]);
    assert.equal(await unpackSnapshot(text), undefined);
  });
});
