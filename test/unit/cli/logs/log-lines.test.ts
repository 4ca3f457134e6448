import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LineSplitter, parseLoggedLine } from '../../../../src/cli/logs/log-lines.js';
import { wrap } from '../../../../src/cli/base/wrap.js';
import { displayWidth } from '../../../../src/cli/base/output.js';

describe('lines of a log that comes in pieces', () => {
  it('are the same however the file is cut, within a character too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' '))),
        fc.array(fc.nat(40)),
        fc.boolean(),
        (lines, cuts, ends) => {
          const bytes = Buffer.from(lines.map((text) => `${text}\n`).join('') + (ends ? '' : 'no newline'));
          const splitter = new LineSplitter();
          const found: string[] = [];
          let at = 0;
          for (const length of cuts) {
            found.push(...splitter.push(bytes.subarray(at, at + length)));
            at += length;
          }
          found.push(...splitter.push(bytes.subarray(at)));
          assert.deepEqual(found, lines);
          assert.deepEqual([...splitter.rest()], ends ? [] : ['no newline']);
        },
      ),
    );
  });

  it('are handed on in pieces rather than held without end', () => {
    const splitter = new LineSplitter();
    const shown = Array.from({ length: 5 }, () => [...splitter.push(Buffer.alloc(512 * 1024, 'x'))]).flat();
    assert.equal(shown.join('').length, 3 * 512 * 1024);
  });

  it('have time, stream and text, and are text where they have not', () => {
    const at = '2026-11-21T11:00:00.1Z';
    assert.deepEqual(parseLoggedLine(`${at} stderr a b`), { at, stream: 'stderr', text: 'a b' });
    assert.deepEqual(parseLoggedLine(`${at} stdout `), { at, stream: 'stdout', text: '' });
    assert.deepEqual(parseLoggedLine('- host full'), { at: null, stream: 'host', text: 'full' });
    for (const text of ['', 'x', `${at} stdin x`, `${at} stdout`, '- stdout x'])
      assert.deepEqual(parseLoggedLine(text), { at: null, stream: 'stdout', text });
  });
});

describe('wrapped text', () => {
  it('fits, and loses nothing but blanks where it is broken', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme-composite', maxLength: 200, size: 'max' }),
        fc.integer({ min: 2, max: 60 }),
        (text, columns) => {
          const lines = wrap(text.replace(/\s/g, ' '), columns);
          for (const line of lines) assert.ok(displayWidth(line) <= columns, JSON.stringify(lines));
          assert.equal(lines.join('').replaceAll(' ', ''), text.replace(/\s/g, ''));
        },
      ),
    );
  });

  it('keeps indentation, and breaks between words', () => {
    assert.deepEqual(wrap('  one two three', 9), ['  one two', 'three']);
    assert.deepEqual(wrap('abcdefghij kl', 4), ['abcd', 'efgh', 'ij', 'kl']);
    assert.deepEqual(wrap('', 4), ['']);
  });
});
