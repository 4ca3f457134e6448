import assert from 'node:assert/strict';
import { JoinedBytes } from '../../../../src/domain/base/joined-bytes.js';

describe('bytes that are joined', () => {
  it('are all that came, in order, however they were cut', () => {
    const text = 'a text in many pieces';
    for (const size of [1, 2, 3, 7, text.length]) {
      const bytes = new JoinedBytes();
      for (let at = 0; at < text.length; at += size) bytes.add(Buffer.from(text.slice(at, at + size)));
      assert.equal(Buffer.from(bytes.whole()).toString(), text, String(size));
    }
  });

  it('are none at the beginning, and after they were cleared', () => {
    const bytes = new JoinedBytes();
    assert.equal(bytes.whole().length, 0);
    bytes.add(Buffer.from('old'));
    bytes.clear();
    assert.equal(bytes.whole().length, 0);
    bytes.add(Buffer.from('ne'));
    assert.equal(Buffer.from(bytes.whole()).toString(), 'ne');
  });

  it('are the joined ones’ own: the buffer they came in may be used again', () => {
    const bytes = new JoinedBytes();
    const chunk = Buffer.from('first');
    bytes.add(chunk);
    chunk.fill('x');
    assert.equal(Buffer.from(bytes.whole()).toString(), 'first');
  });

  it('are moved a few times only, whatever the number of pieces', () => {
    const bytes = new JoinedBytes();
    const places = new Set<ArrayBufferLike>();
    for (let count = 0; count < 10_000; count += 1) {
      bytes.add(Buffer.from('x'));
      places.add(bytes.whole().buffer);
    }
    assert.equal(bytes.whole().length, 10_000);
    assert.ok(places.size <= 16, String(places.size));
  });
});
