import assert from 'node:assert/strict';
import { isLoopback, isLoopbackHost } from '../../../../src/domain/base/loopback.js';

describe('a loopback URL', () => {
  it('is 127/8, ::1 or localhost, however it is written', () => {
    for (const url of [
      'http://127.0.0.1:3000/api',
      'http://127.1',
      'http://0x7f000001/',
      'https://localhost',
      'http://LOCALHOST.:1',
      'http://[::1]:3000',
      'http://[::ffff:127.0.0.1]/',
      'http://127.255.0.9',
    ]) {
      assert.ok(isLoopback(url), url);
    }
  });

  it('is nothing else', () => {
    for (const url of [
      'http://128.0.0.1',
      'http://127.0.0.1.example.org',
      'http://localhost.example.org',
      'http://example.org/127.0.0.1',
      'http://[::2]',
      'http://[fe80::1]',
      'http://0.0.0.0',
      'localhost',
      '',
      'http://10.0.0.1',
      'http://u:127.0.0.1@example.org',
    ]) {
      assert.ok(!isLoopback(url), url);
    }
    assert.ok(isLoopbackHost('::1') && isLoopbackHost('127.0.0.5') && isLoopbackHost('::ffff:127.0.0.1'));
    assert.ok(!isLoopbackHost('127.evil.example') && !isLoopbackHost('::ffff:10.0.0.1'));
  });
});
