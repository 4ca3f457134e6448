import assert from 'node:assert/strict';
import { apiBaseUrl, githubWebUrl } from '../../../../src/adapters/github/base-url.js';
import { InvalidInputError } from '../../../../src/domain/errors.js';

describe('the base URL of GitHub', () => {
  for (const [given, api, web] of [
    ['https://api.github.com', 'https://api.github.com/', 'https://github.com'],
    [' https://api.github.com/\n', 'https://api.github.com/', 'https://github.com'],
    ['https://api.octo.ghe.com', 'https://api.octo.ghe.com/', 'https://octo.ghe.com'],
    ['https://git.example/api/v3/', 'https://git.example/api/v3', 'https://git.example'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
  ] as const) {
    it(`takes ${JSON.stringify(given)}, whose pages are at ${web}`, () => {
      assert.equal(apiBaseUrl(given).href, api);
      assert.equal(githubWebUrl(given), web);
    });
  }

  for (const wrong of [
    '',
    'api.github.com',
    'ftp://x',
    'https://f/?a=b',
    'https://f/#x',
    'https://github.com',
  ]) {
    it(`refuses ${JSON.stringify(wrong)}`, () => {
      assert.throws(() => apiBaseUrl(wrong), InvalidInputError);
    });
  }

  it('refuses credentials and does not repeat them', () => {
    assert.throws(
      () => apiBaseUrl('https://bot:s3cret@git.example'),
      (error: unknown) => error instanceof InvalidInputError && !error.message.includes('s3cret'),
    );
  });
});
