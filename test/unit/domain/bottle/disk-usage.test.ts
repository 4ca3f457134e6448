import assert from 'node:assert/strict';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import { parseParts, parseUsage, usageSpec } from '../../../../src/domain/bottle/disk-usage.js';

const bytesOf = (...lines: readonly string[]): Uint8Array => Buffer.from(`${lines.join('\n')}\n`);

const WHOLE = [
  '4096\t/tree/home',
  '900000000000\t/tree/workspace',
  '900000004096\ttotal',
  '1\t/tree/home',
  '34567\t/tree/workspace',
  '34568\ttotal',
];

describe("what measures a run's disk usage", () => {
  const target = { slug: 's', image: 'i', workspaceDir: '/w' };

  it('sees workspace and home, changes neither, and has the rights to read all of both', () => {
    const spec = usageSpec(target);
    assert.deepEqual(spec.mounts, [{ source: '/w', target: '/tree/workspace', readOnly: true }]);
    assert.deepEqual(spec.volumes, [{ kind: 'home', target: '/tree/home', readOnly: true }]);
    assert.equal(spec.user, 'reader');
    assert.deepEqual([spec.slug, spec.image, spec.env], ['s', 'i', {}]);
  });

  it('does not make up a home that is not there', () => {
    assert.deepEqual(usageSpec({ ...target, hasHome: false }).volumes, []);
  });

  it('is a shell that may take as long as both of its walks', () => {
    const { argv, timeoutMs } = usageSpec(target);
    assert.deepEqual(argv.slice(0, 2), ['/bin/sh', '-c']);
    const [, seconds = ''] = /timeout -k 1 (\d+) du/.exec(argv[2] ?? '') ?? [];
    assert.ok(timeoutMs > 2 * Number(seconds) * 1_000 && timeoutMs < 10 * 60_000, String(timeoutMs));
  });
});

describe("a run's disk usage", () => {
  it('is the total of bytes, then that of inodes', () => {
    assert.deepEqual(parseUsage(bytesOf(...WHOLE)), { bytes: 900_000_004_096, inodes: 34_568 });
  });

  for (const [what, lines] of [
    ['says nothing', []],
    ['ends after the bytes', WHOLE.slice(0, 3)],
    ['has a third total', [...WHOLE, '1\ttotal']],
    ['has a total without a figure', [...WHOLE.slice(0, 3), '\ttotal']],
    ['has a figure too long to be one', [...WHOLE.slice(0, 3), `${'9'.repeat(19)}\ttotal`]],
    ['has a total in the middle of a line', [...WHOLE.slice(0, 3), 'du: 1\ttotal']],
    ['has a total with more after it', [...WHOLE.slice(0, 3), '1\ttotal of it']],
  ] as const)
    it(`is not known when the output ${what}`, () => {
      assert.throws(() => parseUsage(bytesOf(...lines)), InvalidInputError);
    });

  it('is told by part in bytes, as far as the measuring got', () => {
    assert.deepEqual(parseParts(bytesOf(...WHOLE)), { home: 4096, workspace: 900_000_000_000 });
    assert.deepEqual(parseParts(bytesOf(...WHOLE.slice(0, 1))), { home: 4096 });
    assert.deepEqual(parseParts(bytesOf()), {});
  });

  it('takes no other line for a part', () => {
    const others = ['du: 1\t/tree/home', '2\t/tree/home/x', '3\t/tree/workspace2', '4 /tree/workspace'];
    assert.deepEqual(parseParts(bytesOf(...others)), {});
  });
});
