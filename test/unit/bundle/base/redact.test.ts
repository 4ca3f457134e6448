import assert from 'node:assert/strict';
import { redactParams } from '../../../../src/bundle/base/redact.js';

describe('the redactor', () => {
  it('reaches the texts of parameters given by name or by position, and nothing else', () => {
    const redact = (text: string): string => text.replaceAll('topsecret', '[secret]');
    assert.deepEqual(redactParams({ number: 1, body: 'a topsecret b' }, redact), {
      number: 1,
      body: 'a [secret] b',
    });
    assert.deepEqual(redactParams([1, 'topsecret'], redact), [1, '[secret]']);
    for (const none of [undefined, null, 7]) assert.equal(redactParams(none, redact), none);
  });
});
