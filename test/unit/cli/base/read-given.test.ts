import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readGiven } from '../../../../src/cli/base/read-given.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';
import { withTempDir } from '../../../support/files/temp-home.js';

describe('a file that an option names', () => {
  const saidOf = (path: string): Promise<string> =>
    readGiven('--file', path).then(
      () => assert.fail('it was read'),
      (error: unknown) => {
        assert.ok(error instanceof InvalidInputError);
        return error.message;
      },
    );

  it('and is not there is told by its name, and so is what is no file', () =>
    withTempDir(async (dir) => {
      const none = join(dir, 'none');
      assert.equal(await saidOf(none), `--file: there is no file ${none}`);
      assert.equal(await saidOf(join(none, 'deeper')), `--file: there is no file ${join(none, 'deeper')}`);
      assert.equal(await saidOf(dir), `--file: ${dir} is a directory`);
    }));
});
