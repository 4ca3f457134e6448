import assert from 'node:assert/strict';
import { joinPieces, slicesOf } from '../../../../src/domain/base/join-pieces.js';

const MIB = 1024 * 1024;

/** Bytes that differ from those at other places. */
function bytes(length: number, seed: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8) * 7 + seed) & 0xff);
}

describe('slices of many bytes', () => {
  for (const [length, lengths] of [
    [0, []],
    [1, [1]],
    [4 * MIB, [4 * MIB]],
    [4 * MIB + 1, [4 * MIB, 1]],
    [8 * MIB, [4 * MIB, 4 * MIB]],
  ] as const)
    it(`are of 4 MiB at most, and no empty one: ${String(length)}`, () => {
      const slices = [...slicesOf(new Uint8Array(length))];
      assert.deepEqual(
        slices.map((slice) => slice.length),
        lengths,
      );
    });
});

describe('pieces that are joined', () => {
  async function joined(...pieces: readonly Uint8Array[]): Promise<{ whole: Uint8Array; pauses: number }> {
    let pauses = 0;
    const whole = await joinPieces(pieces, () => {
      pauses += 1;
      return Promise.resolve();
    });
    return { whole, pauses };
  }

  it('are one after the other, with all of their bytes', async () => {
    const pieces = [bytes(3, 1), bytes(0, 2), bytes(5 * MIB, 3), bytes(7, 4)];
    const { whole } = await joined(...pieces);
    assert.ok(Buffer.concat(pieces).equals(whole));
    assert.equal((await joined()).whole.length, 0);
  });

  it('let others have a turn after each 4 MiB, whatever their own size', async () => {
    const small = Array.from({ length: 9 }, () => new Uint8Array(MIB));
    assert.equal((await joined(...small)).pauses, 2);
    assert.equal((await joined(new Uint8Array(9 * MIB))).pauses, 2);
    assert.equal((await joined(new Uint8Array(4 * MIB))).pauses, 1);
    assert.equal((await joined(new Uint8Array(4 * MIB - 1))).pauses, 0);
  });
});
