import assert from 'node:assert/strict';
import { limitedForMs } from '../../../../src/adapters/github/rate-limit.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const SECONDS = NOW / 1000;

describe("GitHub's rate limits", () => {
  const cases: [string, number, Record<string, string>, string, number | undefined][] = [
    ['a right that is missing', 403, { 'x-ratelimit-remaining': '17' }, 'Forbidden', undefined],
    ['another status', 404, { 'retry-after': '5', 'x-ratelimit-remaining': '0' }, '', undefined],
    ['a secondary limit with Retry-After', 403, { 'retry-after': '5' }, '', 5_000],
    [
      'the hourly limit',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(SECONDS + 90) },
      '',
      90_000,
    ],
    [
      'a reset that is over',
      429,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(SECONDS - 9) },
      '',
      0,
    ],
    ['a secondary limit in words only', 403, {}, 'You have exceeded a secondary rate limit', 60_000],
    ['a 429 without a time', 429, {}, '', 60_000],
  ];
  for (const [name, status, headers, body, expected] of cases) {
    it(`${expected === undefined ? 'are not' : 'are'} ${name}`, () => {
      assert.equal(limitedForMs(status, headers, body, NOW), expected);
    });
  }
});
