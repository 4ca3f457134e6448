import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import {
  MAX_UNCOMMITTED_PATHS,
  extractionFailure,
  extractionSpec,
  parseExtraction,
  patchSpec,
  type Inspection,
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
  readonly status?: string;
  readonly length?: string;
  readonly rest?: string;
}
function report({
  magic = 'bot-bottle-extract-1',
  head = SHA,
  stuck = '-',
  status = '',
  length,
  rest = '0\0',
}: Report): Uint8Array {
  const fields = [magic, head, stuck, length ?? String(Buffer.byteLength(status))];
  return Buffer.from(`${fields.join('\0')}\0${status}${rest}`);
}

const inspected = (given: Report): Inspection => parseExtraction(report(given)).inspection;

describe('extractor output', () => {
  it('is read into a report and a bundle', () => {
    const status = ' M a b\0?? ü\0';
    const extraction = parseExtraction(report({ stuck: SHA, status, rest: '1\0# v2 git bundle\n' }));
    assert.deepEqual(extraction.inspection, { head: SHA, stuck: SHA, uncommitted: ['a b', 'ü'] });
    assert.equal(Buffer.from(extraction.bundle ?? []).toString(), '# v2 git bundle\n');
    assert.equal(parseExtraction(report({})).bundle, null);
    assert.equal(inspected({}).stuck, null);
  });

  it('is refused where it has not its shape', () => {
    const bad: readonly Report[] = [
      { magic: 'bot-bottle-extract-2' },
      { magic: '' },
      { head: 'A'.repeat(40) },
      { head: `${SHA}a` },
      { head: '-' },
      { stuck: 'x' },
      { length: '-1' },
      { length: '1' },
      { length: '99999' },
      { length: '1e1' },
      { length: '0x0' },
      { length: '0.0' },
      { length: '' },
      ...['', '1\0', '0\0x', '2\0x', '1', 'x'].map((rest) => ({ rest })),
    ];
    for (const one of bad)
      assert.throws(() => parseExtraction(report(one)), InvalidInputError, JSON.stringify(one));
  });

  it('has at most 64 KiB of the list', () => {
    const entry = '?? a\0';
    const most = 64 * 1024;
    const full = inspected({ status: `?? ${'a'.repeat(most - 4)}\0` });
    assert.deepEqual([full.uncommitted.length, full.uncommitted[0]?.length], [1, 1024]);
    assert.throws(() => inspected({ status: entry.repeat(most / 5 + 1) }), InvalidInputError);
  });

  it('names only what has two letters, a space and a path', () => {
    for (const odd of ['', '??', '?? ', 'x a', '???a', 'am a', '1?? a'])
      assert.deepEqual(inspected({ status: `?? a\0${odd}\0` }).uncommitted, ['a'], odd);
  });

  it('shows what cannot be printed in a path as U+FFFD', () => {
    const status = '?? a\u001b[2J\u202eb\nc\0';
    assert.deepEqual(inspected({ status }).uncommitted, ['a\uFFFD[2J\uFFFDb\uFFFDc']);
  });

  it('names no path that was cut, and no more than so many', () => {
    assert.deepEqual(inspected({ status: '?? a\0?? b' }).uncommitted, ['a']);
    const many = inspected({ status: '?? a\0'.repeat(MAX_UNCOMMITTED_PATHS + 1) });
    assert.equal(many.uncommitted.length, MAX_UNCOMMITTED_PATHS);
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
        try {
          const { head, uncommitted } = parseExtraction(input).inspection;
          assert.match(head, /^[0-9a-f]{40}$/);
          assert.ok(uncommitted.length <= MAX_UNCOMMITTED_PATHS);
          for (const path of uncommitted) assert.ok(path.length <= 1024 && !/[\p{Cc}\p{Cf}]/u.test(path));
        } catch (error) {
          assert.ok(error instanceof InvalidInputError, String(error));
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
    const { mounts } = patchSpec({ ...target, boundaryFile: '/b' }, 5);
    assert.deepEqual(mounts, [
      { source: '/w', target: '/workspace', readOnly: true },
      { source: '/b', target: '/run/bottle-shallow', readOnly: true },
    ]);
  });

  it('may write the list and the bundle, or the patch, and little more', () => {
    const list = 64 * 1024;
    const rows = [
      [extractionSpec(target, [], 1_000_000), 1_000_000 + list, ['extract', BRANCH, String(list)]],
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
