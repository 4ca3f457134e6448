import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { bundleLog, errorFields } from '../../../../src/bundle/base/bundle-log.js';

describe('the log of the sidecar', () => {
  const { writeSync } = fs;
  let written: [fd: number, text: string][];
  let fault: Error | undefined;

  beforeEach(() => {
    [written, fault] = [[], undefined];
    fs.writeSync = (fd: number, text: unknown): number => {
      if (fault !== undefined) throw fault;
      written.push([fd, String(text)]);
      return 0;
    };
    syncBuiltinESMExports();
  });
  afterEach(() => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  });

  it('is a line of JSON a message on standard error: how bad, when, what, and more', () => {
    const began = Date.now();
    bundleLog((text) => text)('warn', 'a\nb', { turn: 3 });
    const [[fd, text] = assert.fail()] = written;
    assert.equal(fd, 2);
    assert.match(text, /^[^\n]+\n$/);
    const { time, ...rest } = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual(rest, { level: 'warn', message: 'a\nb', turn: 3 });
    assert.ok(Number(time) >= began && Number(time) <= Date.now());
  });

  it('has no secret in it, wherever it stood', () => {
    const log = bundleLog((text) => text.replaceAll('hunter2', '[secret]'));
    log('error', 'hunter2', { cause: 'with hunter2' });
    assert.doesNotMatch(written.join(), /hunter2/);
  });

  it('is no reason to stop when nobody reads it', () => {
    fault = new Error('EPIPE');
    bundleLog((text) => text)('info', 'serving');
    assert.deepEqual(written, []);
  });

  it('has of an error its message, where it was, and the message of its cause', () => {
    const cause = new Error('disk full');
    const error = new Error('not written', { cause });
    assert.deepEqual(errorFields(error), {
      error: 'not written',
      stack: error.stack,
      cause: 'disk full',
    });
    const plain = new Error('alone', { cause: 'a word' });
    assert.deepEqual(errorFields(plain), { error: 'alone', stack: plain.stack });
    assert.deepEqual(errorFields('a word'), { error: 'a word' });
  });
});
