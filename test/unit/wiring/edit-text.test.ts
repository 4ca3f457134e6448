import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CliError } from '../../../src/cli/base/errors.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { editText } from '../../../src/wiring/cli/edit-text.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('editing a text', () => {
  const temp = useTempDir();

  /** An editor that does this to the file `$2`; its first argument is its option. */
  function editor(name: string, script: string): string {
    const file = temp(name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return `${file} --wait`;
  }

  it('is done by the operator’s own editor, in a private file that goes when it is told', async () => {
    const VISUAL = editor('visual', 'test "$1" = --wait && echo more >> "$2"');
    const edited = await editText({ ...process.env, VISUAL, EDITOR: 'false' }, 'allowlist', 'pypi.org\n');
    assert.equal(edited.text, 'pypi.org\nmore\n');
    assert.equal(path.basename(edited.path), 'allowlist');
    assert.equal(readFileSync(edited.path, 'utf8'), edited.text);
    assert.equal(statSync(edited.path).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(edited.path)).mode & 0o777, 0o700);
    await edited.remove();
    assert.equal(existsSync(path.dirname(edited.path)), false);
  });

  it('needs an editor', async () => {
    const env = { ...process.env, VISUAL: ' ', EDITOR: undefined };
    await assert.rejects(editText(env, 'allowlist', ''), InvalidInputError);
  });

  it('that fails leaves nothing behind', async () => {
    const seen = temp('seen');
    const EDITOR = editor('failing', `echo "$2" > '${seen}'; exit 3`);
    await assert.rejects(
      editText({ ...process.env, VISUAL: '', EDITOR }, 'allowlist', 'x'),
      (error) => error instanceof CliError && error.message.includes('ended with 3: nothing was sent'),
    );
    assert.equal(existsSync(path.dirname(readFileSync(seen, 'utf8').trim())), false);
  });
});
