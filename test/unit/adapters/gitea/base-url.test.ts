import assert from 'node:assert/strict';
import { apiBaseUrl } from '../../../../src/adapters/gitea/base-url.js';

describe('the base URL of the forge', () => {
  for (const [given, expected] of [
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v1'],
    ['http://127.0.0.1:3000/api/v1/', 'http://127.0.0.1:3000/api/v1'],
    ['https://forge.example/git', 'https://forge.example/git/api/v1'],
  ] as const) {
    it(`takes ${JSON.stringify(given)}`, () => {
      assert.equal(apiBaseUrl(given).href, expected);
    });
  }
});
