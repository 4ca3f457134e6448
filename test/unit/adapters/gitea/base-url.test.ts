import assert from 'node:assert/strict';
import { apiBaseUrl } from '../../../../src/adapters/gitea/base-url.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';

describe('the base URL of the forge', () => {
  for (const [given, expected] of [
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v1'],
    ['http://127.0.0.1:3000/api/v1/', 'http://127.0.0.1:3000/api/v1'],
    ['https://forge.example/git', 'https://forge.example/git/api/v1'],
    [' https://forge.example/git/api/v1\n', 'https://forge.example/git/api/v1'],
  ] as const) {
    it(`takes ${JSON.stringify(given)}`, () => {
      assert.equal(apiBaseUrl(given).href, expected);
    });
  }

  for (const wrong of [
    '',
    'forge.example',
    'ftp://forge.example',
    'https://forge.example/?token=s3cret',
    'https://f/#x',
  ]) {
    it(`refuses ${JSON.stringify(wrong)}`, () => {
      assert.throws(() => apiBaseUrl(wrong), InvalidInputError);
    });
  }

  it('refuses credentials and does not repeat them', () => {
    assert.throws(
      () => apiBaseUrl('https://bot:s3cret@forge.example'),
      (error: unknown) => error instanceof InvalidInputError && !error.message.includes('s3cret'),
    );
  });
});
