import assert from 'node:assert/strict';
import fc from 'fast-check';
import { objectsWithin } from '../../../../../src/bundle/egress/model/objects-within.js';
import { isRecord } from '../../../../../src/domain/base/is-record.js';

/** The same, as its definition has it. */
function objectsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).flatMap(([key, one]) => (key === 'hidden' ? [] : objectsIn(one)));
  return [value, ...inner];
}

describe('every object in a value', () => {
  it('comes once, in the order of the text, without what is opaque', () => {
    const key = fc.constantFrom('a', 'b', 'hidden', '1', '__proto__');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constant(null),
        fc.string(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (any) => {
        assert.deepEqual([...objectsWithin(any, (_object, name) => name === 'hidden')], objectsIn(any));
      }),
      { numRuns: 1000 },
    );
  });

  it('costs as much however deep it lies: no step is taken once more for each level', () => {
    const depth = 200_000;
    let deep: unknown = {};
    for (let level = 0; level < depth; level += 1) deep = level % 2 === 0 ? [deep] : { a: deep };
    let asked = 0;
    const found = [...objectsWithin(deep, () => (asked += 1) < 0)];
    assert.deepEqual([found.length, asked], [depth / 2 + 1, depth / 2]);
  });
});
