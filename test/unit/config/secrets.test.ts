import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { writeBoundSecret } from '../../../src/config/secret-binding.js';
import { inspectSecret, readSecret, writeSecret } from '../../../src/config/secrets.js';
import { InvalidInputError, UnusableSecretError } from '../../../src/domain/base/errors.js';
import { useDirectories } from '../../support/webhook/temp-dir.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('secrets', () => {
  let home: string;
  useDirectories((directory) => {
    home = directory;
  });

  it('are written for their owner alone and read back without the newline at their end', () => {
    const file = writeSecret(home, 'forge-token', bytes('abcdefgh1234\n'));
    assert.equal(file, path.join(home, 'secrets/forge-token'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(path.join(home, 'secrets')).mode & 0o777, 0o700);
    assert.equal(readSecret(file, 'forge-token'), 'abcdefgh1234');
  });

  it('are replaced in one step that leaves nothing else behind', () => {
    writeSecret(home, 'forge-token', bytes('first-secret'));
    writeSecret(home, 'forge-token', bytes('second-secret'));
    assert.deepEqual(readdirSync(path.join(home, 'secrets')), ['forge-token']);
    assert.equal(readFileSync(path.join(home, 'secrets/forge-token'), 'utf8'), 'second-secret\n');
  });

  it('a name that could leave the folder is refused', () => {
    for (const name of ['../x', 'a/b', '', '.hidden', 'UPPER', 'a'.repeat(64), 'a\n']) {
      assert.throws(() => writeSecret(home, name, bytes('long-enough')), InvalidInputError, name);
    }
    assert.equal(existsSync(path.join(home, 'secrets')), false);
  });

  it('an empty, short, binary or many-line secret is refused, and the old one stays', () => {
    const file = writeSecret(home, 'token', bytes('the-old-one'));
    for (const content of ['', '\n', '        ', 'short', 'two\nlines-here', 'with\0zero-byte']) {
      assert.throws(
        () => writeSecret(home, 'token', bytes(content)),
        InvalidInputError,
        JSON.stringify(content),
      );
    }
    assert.throws(
      () => writeSecret(home, 'token', Uint8Array.of(0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
      InvalidInputError,
    );
    assert.equal(readSecret(file, 'token'), 'the-old-one');
  });

  it('an empty one says how to set it, when it is written and when it is read', () => {
    for (const content of ['', '\n'])
      assert.throws(() => writeSecret(home, 'forge-token', bytes(content)), {
        message:
          'the secret is empty; nothing was changed: give it on standard input, bot-bottle secret set forge-token < file',
      });
    assert.throws(() => writeBoundSecret(home, 'npm-key', bytes(''), ['npm.example']), {
      message: /bot-bottle secret set npm-key --host npm\.example:443 < file$/,
    });
    const file = path.join(home, 'empty');
    writeFileSync(file, '', { mode: 0o600 });
    assert.throws(() => readSecret(file, 'forge-token'), {
      message: `${file} is empty: bot-bottle secret set forge-token < file`,
    });
  });

  for (const mode of [0o640, 0o604, 0o660, 0o644, 0o610]) {
    it(`a file of mode ${mode.toString(8)} is refused with the chmod that repairs it`, () => {
      const file = writeSecret(home, 'token', bytes('the-secret-text'));
      chmodSync(file, mode);
      assert.throws(
        () => readSecret(file, 'token'),
        (error: unknown) =>
          error instanceof InvalidInputError &&
          error.message.includes(`chmod 600 ${file}`) &&
          !error.message.includes('the-secret-text'),
      );
    });
  }

  it('a missing one names the command that sets it', () => {
    assert.throws(
      () => readSecret(path.join(home, 'none'), 'forge-token'),
      /bot-bottle secret set forge-token/,
    );
  });

  it('one at another place than that command writes to is written there', () => {
    for (const file of [path.join(home, 'run/token'), path.join(home, 'other/secrets/forge-token')])
      assert.throws(() => readSecret(file, 'forge-token', home), {
        message: `${file} is missing: write the secret to ${file}, mode 600`,
      });
    const file = path.join(home, 'secrets/forge-token');
    assert.throws(() => readSecret(file, 'forge-token', home), {
      message: `${file} is missing: bot-bottle secret set forge-token < file`,
    });
  });

  it('a directory, an empty file and a file that is too large are unusable', () => {
    const directory = path.join(home, 'directory');
    mkdirSync(directory, { mode: 0o700 });
    assert.equal(inspectSecret(directory).kind, 'unusable');
    const empty = path.join(home, 'empty');
    writeFileSync(empty, '', { mode: 0o600 });
    assert.equal(inspectSecret(empty).kind, 'unusable');
    const large = path.join(home, 'large');
    writeFileSync(large, 'x'.repeat(70_000), { mode: 0o600 });
    assert.equal(inspectSecret(large).kind, 'unusable');
  });

  it('what cannot be opened for another reason is unusable and named, no fault of the program', async () => {
    const at = (name: string): string => path.join(home, name);
    writeFileSync(at('file'), '');
    symlinkSync('loop', at('loop'));
    const server = createServer().listen(at('socket'));
    await once(server, 'listening');
    try {
      for (const name of ['file/token', 'loop', 'socket', 'x'.repeat(300)])
        assert.throws(
          () => readSecret(at(name), 'forge-token', home),
          (error: unknown) =>
            error instanceof UnusableSecretError && error.message.startsWith(`${at(name)} cannot be read: E`),
          name,
        );
    } finally {
      server.close();
    }
  });
});
