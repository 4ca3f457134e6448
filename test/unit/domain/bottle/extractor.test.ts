import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import {
  MAX_UNCOMMITTED_PATHS,
  extractionSpec,
  parseExtraction,
  parseInspection,
  patchSpec,
} from '../../../../src/domain/bottle/extractor.js';

const SHA = 'a'.repeat(40);
const BRANCH = 'bot-bottle/12-abcde';
const target = {
  ...{ name: 'x', slug: 's', image: 'i', workspaceDir: '/w', boundaryFile: null },
  ...{ branch: BRANCH, timeoutMs: 1 },
};

interface Report {
  readonly head?: string;
  readonly stuck?: string;
  readonly state?: string;
  readonly status?: string;
  readonly length?: string;
  readonly rest?: string;
}
function report({
  head = SHA,
  stuck = '-',
  state = 'all',
  status = '',
  length,
  rest = '',
}: Report): Uint8Array {
  const fields = ['bot-bottle-extract-1', head, stuck, state, length ?? String(Buffer.byteLength(status))];
  return Buffer.from(`${fields.join('\0')}\0${status}${rest}`);
}

describe('extractor output', () => {
  it('is read into a report and a bundle', () => {
    const status = ' M a b\0?? ü\0';
    const inspection = { head: SHA, stuck: SHA, uncommitted: ['a b', 'ü'], uncommittedComplete: true };
    assert.deepEqual(parseInspection(report({ stuck: SHA, status })), inspection);
    const extraction = parseExtraction(report({ stuck: SHA, status, rest: '1\0# v2 git bundle\n' }));
    assert.deepEqual(extraction.inspection, inspection);
    assert.equal(Buffer.from(extraction.bundle ?? []).toString(), '# v2 git bundle\n');
    assert.equal(parseExtraction(report({ rest: '0\0' })).bundle, null);
  });

  it('is refused where it has not its shape', () => {
    const bad: readonly Report[] = [
      { head: 'A'.repeat(40) },
      { head: `${SHA}a` },
      { head: '-' },
      { stuck: 'x' },
      { state: 'maybe' },
      { length: '-1' },
      { length: '1' },
      { length: '99999' },
      { length: '1e1' },
      { rest: 'x' },
    ];
    for (const one of bad)
      assert.throws(() => parseInspection(report(one)), InvalidInputError, JSON.stringify(one));
    for (const rest of ['', '1\0', '0\0x', '2\0x', '1']) {
      assert.throws(() => parseExtraction(report({ rest })), InvalidInputError, rest);
    }
  });

  it('never says that a cut list is whole', () => {
    assert.equal(parseInspection(report({ state: 'cut', status: '?? a\0' })).uncommittedComplete, false);
    const cut = parseInspection(report({ status: '?? a\0?? b' }));
    assert.deepEqual([cut.uncommitted, cut.uncommittedComplete], [['a'], false]);
    const many = parseInspection(report({ status: '?? a\0'.repeat(MAX_UNCOMMITTED_PATHS + 1) }));
    assert.deepEqual([many.uncommitted.length, many.uncommittedComplete], [MAX_UNCOMMITTED_PATHS, false]);
  });

  it('gives bounded, printable paths or an InvalidInputError, whatever the bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300, size: 'max' }),
      fc.string({ unit: 'binary' }).map((status) => report({ status })),
      fc
        .uint8Array({ maxLength: 200, size: 'max' })
        .map((tail) => Buffer.concat([report({ length: '50' }), tail])),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        for (const parse of [parseInspection, (b: Uint8Array) => parseExtraction(b).inspection]) {
          try {
            const { head, uncommitted } = parse(input);
            assert.match(head, /^[0-9a-f]{40}$/);
            assert.ok(uncommitted.length <= MAX_UNCOMMITTED_PATHS);
            for (const path of uncommitted) assert.ok(path.length <= 1024 && !/[\p{Cc}\p{Cf}]/u.test(path));
          } catch (error) {
            assert.ok(error instanceof InvalidInputError, String(error));
          }
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('extractor container', () => {
  it('gets values as arguments, the workspace read-only and no more', () => {
    const spec = extractionSpec(target, [SHA], 1000);
    assert.deepEqual(spec.argv.slice(3), ['extract', 'extract', BRANCH, '65536', SHA]);
    assert.ok(!(spec.argv[2] ?? '').includes(BRANCH));
    assert.deepEqual(spec.mounts, [{ source: '/w', target: '/workspace', readOnly: true }]);
    assert.equal(spec.user, 'agent');
    assert.deepEqual(spec.argv.slice(0, 3), patchSpec(target, 5).argv.slice(0, 3));
  });

  it('refuses a branch or commit that is not one', () => {
    for (const branch of ['a..b', '../x', '--output=x', `${BRANCH};id`, '']) {
      assert.throws(() => extractionSpec({ ...target, branch }, [], 1), InvalidInputError, branch);
    }
    for (const known of ['HEAD', '--all', `${SHA}^`, '']) {
      assert.throws(() => extractionSpec(target, [known], 1), InvalidInputError, known);
    }
  });
});
