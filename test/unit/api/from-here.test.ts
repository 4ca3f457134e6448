import assert from 'node:assert/strict';
import type { Request, Response } from 'express';
import { fromHere, isWildcard } from '../../../src/api/authorize.js';

/** Whether a request by this name gets through to an API that listens at an address. @param more its other headers */
function answers(address: string, host: string, more: Record<string, string> = {}): boolean {
  let isThrough = false;
  const response = { status: () => response, type: () => response, send: () => response };
  const request = { headers: { host, ...more } } as Request;
  const refused = response as unknown as Response;
  void fromHere([address])(request, refused, () => {
    isThrough = true;
  });
  return isThrough;
}

describe('names that the HTTP API answers to', () => {
  it('are those of loopback and the address that it listens at, in the form that a client sends', () => {
    for (const host of ['127.0.0.1', 'localhost:8085', 'LOCALHOST', '[::1]:8085', '10.0.0.7:8085'])
      assert.ok(answers('10.0.0.7', host), host);
    assert.ok(answers('fd00::7', '[fd00::7]:8085'));
    for (const host of [
      '',
      'evil.example',
      '10.0.0.7.evil.example',
      'evil.example:127.0.0.1',
      '[::1',
      '10.0.0.8',
    ])
      assert.ok(!answers('10.0.0.7', host), host);
  });

  it('do not help a web page, whatever it asks by: a script, an image or a link', () => {
    const asks = (more: Record<string, string>): boolean => answers('127.0.0.1', 'localhost:8085', more);
    for (const site of ['cross-site', 'same-site', 'same-origin'])
      assert.ok(!asks({ 'sec-fetch-site': site }), site);
    assert.ok(!asks({ origin: 'null' }));
    assert.ok(asks({ 'sec-fetch-site': 'none' }), 'an address that somebody typed');
  });

  it('are none of a wildcard, however that is written', () => {
    for (const host of ['0.0.0.0', '0', '::', '0:0::0', '::ffff:0.0.0.0']) assert.ok(isWildcard(host), host);
    for (const host of ['127.0.0.1', '10.0.0.7', 'fd00::7', 'box.example'])
      assert.ok(!isWildcard(host), host);
    for (const [address, host] of [
      ['0.0.0.0', '0.0.0.0:8085'],
      ['::', '[::]'],
      ['0', '0'],
    ] as const) {
      assert.ok(!answers(address, host), host);
      assert.ok(answers(address, 'localhost:8085'));
    }
  });
});
