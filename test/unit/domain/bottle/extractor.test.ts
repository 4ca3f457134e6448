import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import {
  MAX_UNCOMMITTED_PATHS,
  extractionFailure,
  extractionSpec,
  inspectionSpec,
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
  readonly magic?: string;
  readonly head?: string;
  readonly stuck?: string;
  readonly state?: string;
  readonly status?: string;
  readonly length?: string;
  readonly rest?: string;
}
function report({
  magic = 'bot-bottle-extract-1',
  head = SHA,
  stuck = '-',
  state = 'all',
  status = '',
  length,
  rest = '',
}: Report): Uint8Array {
  const fields = [magic, head, stuck, state, length ?? String(Buffer.byteLength(status))];
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
    assert.equal(parseInspection(report({})).stuck, null);
  });

  it('is refused where it has not its shape', () => {
    const bad: readonly Report[] = [
      { magic: 'bot-bottle-extract-2' },
      { magic: '' },
      { head: 'A'.repeat(40) },
      { head: `${SHA}a` },
      { head: '-' },
      { stuck: 'x' },
      { state: 'maybe' },
      { length: '-1' },
      { length: '1' },
      { length: '99999' },
      { length: '1e1' },
      { length: '0x0' },
      { length: '0.0' },
      { length: '' },
      { rest: 'x' },
    ];
    for (const one of bad)
      assert.throws(() => parseInspection(report(one)), InvalidInputError, JSON.stringify(one));
    for (const rest of ['', '1\0', '0\0x', '2\0x', '1']) {
      assert.throws(() => parseExtraction(report({ rest })), InvalidInputError, rest);
    }
  });

  it('has at most 64 KiB of the list', () => {
    const entry = '?? a\0';
    const most = 64 * 1024;
    const full = parseInspection(report({ status: `?? ${'a'.repeat(most - 4)}\0` }));
    assert.deepEqual([full.uncommitted[0]?.length, full.uncommittedComplete], [1024, true]);
    assert.throws(() => parseInspection(report({ status: entry.repeat(most / 5 + 1) })), InvalidInputError);
  });

  it('names only what has two letters, a space and a path, and is not whole with anything else', () => {
    for (const odd of ['', '??', '?? ', 'x a', '???a', 'am a', '1?? a']) {
      const { uncommitted, uncommittedComplete } = parseInspection(report({ status: `?? a\0${odd}\0` }));
      assert.deepEqual([uncommitted, uncommittedComplete], [['a'], false], odd);
    }
  });

  it('shows what cannot be printed in a path as U+FFFD', () => {
    const status = '?? a\u001b[2J\u202eb\nc\0';
    assert.deepEqual(parseInspection(report({ status })).uncommitted, ['a\uFFFD[2J\uFFFDb\uFFFDc']);
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
    assert.deepEqual(spec.argv.slice(0, 2), ['/bin/sh', '-c']);
    assert.ok(!(spec.argv[2] ?? '').includes(BRANCH));
    assert.deepEqual(spec.mounts, [{ source: '/w', target: '/workspace', readOnly: true }]);
    assert.equal(spec.user, 'agent');
    assert.deepEqual(spec.argv.slice(0, 3), patchSpec(target, 5).argv.slice(0, 3));
  });

  it('gets the file of the commits where the history ends, read-only, when there is one', () => {
    const { mounts } = inspectionSpec({ ...target, boundaryFile: '/b' });
    assert.deepEqual(mounts, [
      { source: '/w', target: '/workspace', readOnly: true },
      { source: '/b', target: '/run/bottle-shallow', readOnly: true },
    ]);
  });

  it('may write the list and the bundle, or the list alone, or the patch, and little more', () => {
    const list = 64 * 1024;
    const rows = [
      [extractionSpec(target, [], 1_000_000), 1_000_000 + list, ['extract', BRANCH, String(list)]],
      [inspectionSpec(target), list, ['inspect', BRANCH, String(list)]],
      [patchSpec(target, 5_000_000), 5_000_000, ['patch', BRANCH, '5000000']],
    ] as const;
    for (const [{ maxOutputBytes, argv }, least, args] of rows) {
      assert.ok(maxOutputBytes >= least && maxOutputBytes <= least + 4096, String(maxOutputBytes));
      assert.deepEqual(argv.slice(4), args);
    }
    // The patch is cut in the container; what is longer is an error.
    assert.equal(patchSpec(target, 5).maxOutputBytes, 5);
  });

  it('is told of 64 known commits at most', () => {
    const known = Array<string>(64).fill(SHA);
    assert.equal(extractionSpec(target, known, 1).argv.length, 7 + 64);
    assert.throws(() => extractionSpec(target, [...known, SHA], 1), /at most 64 full commit ids/);
  });

  it('says what an agent can do about its end, and nothing of an end that is not its own', () => {
    assert.match(extractionFailure(65) ?? '', /commit to the branch the workspace was given with/);
    assert.match(extractionFailure(67) ?? '', /remove that file/);
    for (const code of [0, 1, 137]) assert.equal(extractionFailure(code), undefined);
  });

  it('refuses a branch or commit that is not one', () => {
    for (const branch of ['a..b', '../x', '--output=x', `${BRANCH};id`, '']) {
      assert.throws(() => extractionSpec({ ...target, branch }, [], 1), InvalidInputError, branch);
    }
    for (const known of ['HEAD', '--all', `${SHA}^`, '']) {
      assert.throws(() => extractionSpec(target, [SHA, known], 1), InvalidInputError, known);
    }
  });
});
