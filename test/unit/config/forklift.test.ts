import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOpencodeEnv } from '../../../src/config/forklift.js';
import { secretsRead } from '../../../src/config/secrets.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { withTempDir } from '../../support/files/temp-home.js';

describe('opencode.env', () => {
  const saidOf = (envFile: string): string => {
    try {
      readOpencodeEnv({ envFile, model: null, variant: null, agent: null });
    } catch (error) {
      assert.ok(error instanceof InvalidInputError);
      return error.message;
    }
    return assert.fail('it was read');
  };

  it('that is missing is named, with its keys and how to make it', () =>
    withTempDir((dir) => {
      const file = join(dir, 'forklift/opencode.env');
      const said = saidOf(file);
      assert.ok(said.startsWith(`there is no ${file}: `), said);
      for (const key of ['OPENCODE_API_KEY', 'OPENCODE_MODEL', 'OPENCODE_VARIANT', 'OPENCODE_AGENT'])
        assert.ok(said.includes(key), key);
      for (const word of [`chmod 600 ${file}`, 'FORKLIFT_OPENCODE_ENV', '--manifest'])
        assert.ok(said.includes(word), word);
      return Promise.resolve();
    }));

  it('has a key that no log says, unless that is a mere word', () =>
    withTempDir((dir) => {
      const envFile = join(dir, 'opencode.env');
      for (const [key, isBlanked] of [
        ['none', false],
        ['k-0123456789', true],
      ] as const) {
        const rest = 'OPENCODE_MODEL=anthropic/claude-x\nOPENCODE_VARIANT=high\nOPENCODE_AGENT=build\n';
        writeFileSync(envFile, `OPENCODE_API_KEY=${key}\n${rest}`, { mode: 0o600 });
        assert.equal(
          readOpencodeEnv({ envFile, model: null, variant: null, agent: null }).values.OPENCODE_API_KEY,
          key,
        );
        assert.equal(secretsRead().has(key), isBlanked, key);
      }
      return Promise.resolve();
    }));

  it('that is something else says so', () =>
    withTempDir((dir) => {
      mkdirSync(join(dir, 'opencode.env'));
      assert.match(saidOf(join(dir, 'opencode.env')), /is not a regular file$/);
      return Promise.resolve();
    }));
});
