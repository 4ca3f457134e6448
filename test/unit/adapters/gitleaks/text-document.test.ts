import assert from 'node:assert/strict';
import fc from 'fast-check';
import { textDocument } from '../../../../src/adapters/gitleaks/text-document.js';

describe('texts as one document', () => {
  it('tells of each line whose it is and which one there', () => {
    const texts = fc.array(
      fc
        .array(fc.constantFrom('', 'word', 'x'.repeat(3_000), 'y'.repeat(20_000)), {
          maxLength: 12,
          size: 'max',
        })
        .map((lines) => lines.join('\n')),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(texts, (all) => {
        const document = textDocument(
          all.map((text, index) => ({ where: String(index), text })),
          'the end',
        );
        const lines = document.content.split('\n');
        assert.equal(lines.at(-2), 'the end');
        const seen = all.map(() => new Set<number>());
        lines.forEach((line, index) => {
          const place = document.placeOf(index + 1);
          if (place === undefined) return;
          const whole = (all[place.text] ?? '').split('\n')[place.line - 1] ?? assert.fail('no such line');
          // A window may begin or end inside a line.
          assert.ok(whole.includes(line), `${line.slice(0, 20)} is not in line ${String(place.line)}`);
          if (whole === line) seen[place.text]?.add(place.line);
        });
        all.forEach((text, index) => {
          text.split('\n').forEach((line, at) => {
            if (line.length <= 3_000)
              assert.ok(seen[index]?.has(at + 1), `line ${String(at + 1)} is nowhere whole`);
          });
        });
      }),
      { numRuns: 60 },
    );
  });

  it('has an empty line at least every 25 kB, where no text has one', () => {
    for (const text of ['x\n'.repeat(50_000), '漢'.repeat(50_000), 'ä𝒳'.repeat(20_000)]) {
      const { content } = textDocument([{ where: 'x', text }], 'the end');
      assert.ok(content.split('\n\n').every((part) => Buffer.byteLength(part) < 25_000));
    }
  });
});
