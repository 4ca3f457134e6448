import assert from 'node:assert/strict';
import { displayWidth, table } from '../../../../src/cli/base/output.js';

describe('a table on a terminal', () => {
  it('has as many rows as there are', () => {
    const rows = Array.from({ length: 150_000 }, () => ['a', 'b']);
    assert.equal(table(['RUN', 'AGE'], rows).split('\n').length, rows.length + 2);
  });

  it('is aligned by what is seen', () => {
    assert.equal(
      table(
        ['A', 'B'],
        [
          ['漢字', 'x'],
          ['e\u0301', 'y'],
        ],
      ),
      'A     B\n漢字  x\ne\u0301     y\n',
    );
    assert.equal(displayWidth('a – b … │'), 9);
  });
});
