import assert from 'node:assert/strict';
import { toFile } from '../../../../src/adapters/gitea/files.js';

const file = { type: 'file', encoding: 'base64', size: 3, content: 'YWJj\n' };

describe('the answer of a forge’s contents API', () => {
  it('has the bytes of a file', () => {
    const read = toFile(file, 3);
    assert.equal(read.kind === 'file' && Buffer.from(read.content).toString(), 'abc');
  });

  for (const [what, answer, why] of [
    ['a link', { ...file, type: 'symlink', target: '/etc/passwd' }, /no file but a symlink/],
    ['a submodule', { ...file, type: 'submodule' }, /no file but a submodule/],
    ['a directory', [file], /is a directory/],
    ['more than was asked for', { ...file, size: 4 }, /longer than 3 bytes/],
    ['a size without content', { ...file, encoding: 'none', content: '' }, /longer than the forge hands out/],
  ] as const)
    it(`is not read when it is ${what}`, () => {
      const read = toFile(answer, 3);
      assert.match(read.kind === 'unfit' ? read.why : read.kind, why);
    });

  it('is refused when it is of no known shape', () => {
    for (const odd of ['text', null, {}, { ...file, content: null }, { ...file, size: '3' }])
      assert.throws(() => toFile(odd, 3), { code: 'forge_shape' });
  });
});
