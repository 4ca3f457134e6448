import assert from 'node:assert/strict';
import { troubleOf } from '../../../../../src/bundle/egress/model/failed-answer.js';
import {
  durationOf,
  one,
  retryAfter,
  timeOf,
  troubleUntil,
} from '../../../../../src/bundle/egress/model/waiting-time.js';
import { MAX_LIMIT_MS, type ModelTrouble } from '../../../../../src/domain/run/model-use.js';

const NOW = 1_800_000_000_000;
const DATE = 'Fri, 15 Jan 2027 09:00:00 GMT';

describe('how long a provider says to wait', () => {
  it('stands in its headers, in milliseconds, in seconds or as a date', () => {
    assert.equal(retryAfter({ 'retry-after-ms': '1500' }, NOW), NOW + 1_500);
    assert.equal(retryAfter({ 'retry-after-ms': ' 1500.5 ' }, NOW), NOW + 1_500.5);
    assert.equal(retryAfter({ 'retry-after': '30' }, NOW), NOW + 30_000);
    assert.equal(retryAfter({ 'retry-after': DATE }, NOW), Date.parse(DATE));
    assert.equal(retryAfter({ 'retry-after-ms': '1', 'retry-after': '30' }, NOW), NOW + 1);
    assert.equal(retryAfter({ 'retry-after-ms': 'soon', 'retry-after': '30' }, NOW), NOW + 30_000);
    for (const headers of [{}, { 'retry-after': 'soon' }, { 'retry-after-ms': 'soon' }])
      assert.equal(retryAfter(headers, NOW), undefined);
  });

  const times: [value: unknown, ms: number | undefined][] = [
    [1_800_000_000, NOW],
    ['1800000000', NOW],
    ['1800000000.5', NOW + 500],
    ['2027-01-15T08:00:00Z', NOW],
    ['soon', undefined],
    [Number.NaN, undefined],
    [Infinity, undefined],
    [null, undefined],
    [undefined, undefined],
    [{}, undefined],
    [['1800000000'], undefined],
  ];
  for (const [value, ms] of times)
    it(`is ${String(ms)} as the time ${value === undefined ? 'left out' : JSON.stringify(value)}`, () => {
      assert.equal(timeOf(value), ms);
    });

  const durations: [text: string | undefined, ms: number | undefined][] = [
    ['12ms', 12],
    ['8.64s', 8_640],
    ['6m0s', 360_000],
    ['1h2m3s', 3_723_000],
    ['1d', 86_400_000],
    ['30', 30_000],
    ['1.5', 1_500],
    ['', undefined],
    ['soon', undefined],
    ['1w', undefined],
    ['1s1', undefined],
    ['-1s', undefined],
    [undefined, undefined],
    [`${'1'.repeat(39)}s`, Number('1'.repeat(39)) * 1000],
    [`${'1'.repeat(40)}s`, undefined],
  ];
  for (const [text, ms] of durations)
    it(`is ${String(ms)} ms as the duration ${String(text)}`, () => {
      assert.equal(durationOf(text), ms);
    });

  it('is the first of several headers of one name, without the space around it', () => {
    assert.deepEqual(
      [one(' a '), one([' b ', 'c']), one([]), one(undefined)],
      ['a', 'b', undefined, undefined],
    );
  });

  it('is a limit of use beyond a minute, and a server that is busy up to that', () => {
    assert.deepEqual(troubleUntil([NOW + 60_000], NOW), { kind: 'overloaded', status: 429 });
    assert.deepEqual(troubleUntil([], NOW), { kind: 'overloaded', status: 429 });
    assert.deepEqual(troubleUntil([undefined, NOW + 60_000.5, 1], NOW), {
      kind: 'limited',
      until: NOW + 60_001,
    });
    const never = { kind: 'limited', until: NOW + MAX_LIMIT_MS };
    assert.deepEqual(troubleUntil([NOW + 2 * MAX_LIMIT_MS], NOW), never);
  });

  describe('of a failed answer', () => {
    const HOUR = NOW + 3_600_000;
    const reset = new Date(HOUR).toISOString();
    const limited: ModelTrouble = { kind: 'limited', until: HOUR };
    const busy: ModelTrouble = { kind: 'overloaded', status: 429 };
    const trouble = (
      api: 'anthropic-messages' | 'openai-chat',
      status: number,
      headers: Record<string, string> = {},
      error: object = {},
    ): ModelTrouble => troubleOf(api, { status, headers, body: Buffer.from(JSON.stringify({ error })) }, NOW);

    it('is when what of Anthropic’s limits is used up is full again', () => {
      for (const what of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
        const at = `anthropic-ratelimit-${what}`;
        const headers = { [`${at}-reset`]: reset };
        assert.deepEqual(
          trouble('anthropic-messages', 429, { ...headers, [`${at}-remaining`]: '0' }),
          limited,
        );
        assert.deepEqual(trouble('anthropic-messages', 429, { ...headers, [`${at}-remaining`]: '1' }), busy);
      }
    });

    it('is when the window of a subscription is full again, unless it still lets through', () => {
      const at = 'anthropic-ratelimit-unified';
      const headers = { [`${at}-reset`]: String(HOUR / 1000) };
      assert.deepEqual(trouble('anthropic-messages', 429, headers), limited);
      assert.deepEqual(
        trouble('anthropic-messages', 429, { ...headers, [`${at}-status`]: 'rejected' }),
        limited,
      );
      assert.deepEqual(trouble('anthropic-messages', 429, { ...headers, [`${at}-status`]: 'allowed' }), busy);
    });

    it('is when OpenAI’s limit is over, by its headers or by what it says', () => {
      for (const what of ['requests', 'tokens']) {
        const headers = { [`x-ratelimit-reset-${what}`]: '1h' };
        const remaining = `x-ratelimit-remaining-${what}`;
        assert.deepEqual(trouble('openai-chat', 429, { ...headers, [remaining]: '0' }), limited);
        assert.deepEqual(trouble('openai-chat', 429, { ...headers, [remaining]: '1' }), busy);
        assert.deepEqual(trouble('openai-chat', 429, { [remaining]: '0' }), busy);
      }
      assert.deepEqual(trouble('openai-chat', 429, {}, { resets_at: HOUR / 1000 }), limited);
      assert.deepEqual(trouble('openai-chat', 429, {}, { resets_in_seconds: 3_600 }), limited);
    });

    it('is when it may be asked again, and none by times that are none', () => {
      for (const api of ['anthropic-messages', 'openai-chat'] as const)
        assert.deepEqual(trouble(api, 429, { 'retry-after': '3600' }), limited);
      const headers = { 'retry-after': 'soon', 'x-ratelimit-reset-tokens': '1x' };
      assert.deepEqual(
        trouble('openai-chat', 429, headers, { resets_at: 'x', resets_in_seconds: '9999' }),
        busy,
      );
    });

    const statuses: [status: number, kind: ModelTrouble['kind']][] = [
      [400, 'refused'],
      [401, 'refused'],
      [408, 'overloaded'],
      [499, 'refused'],
      [500, 'overloaded'],
      [529, 'overloaded'],
    ];
    for (const api of ['anthropic-messages', 'openai-chat'] as const)
      for (const [status, kind] of statuses)
        it(`is ${kind} with the status ${String(status)} of ${api}`, () => {
          assert.deepEqual(trouble(api, status), { kind, status });
        });

    it('is none to wait for where OpenAI says that no asking cures it', () => {
      for (const code of ['insufficient_quota', 'billing_not_active', 'usage_not_included'])
        assert.deepEqual(trouble('openai-chat', 429, {}, { code }), { kind: 'refused', status: 429 });
      const quota = trouble('openai-chat', 429, {}, { type: 'insufficient_quota' });
      assert.deepEqual(quota, { kind: 'refused', status: 429 });
      assert.deepEqual(trouble('openai-chat', 500, {}, { code: 'invalid_prompt' }), {
        ...{ kind: 'overloaded', status: 500 },
      });
    });
  });
});
