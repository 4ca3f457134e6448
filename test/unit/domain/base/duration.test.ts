import assert from 'node:assert/strict';
import { formatDuration, parseDuration } from '../../../../src/domain/base/duration.js';
import { InvalidInputError } from '../../../../src/domain/base/errors.js';

describe('a duration', () => {
  for (const [ms, text] of [
    [0, '0ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_500, '1500ms'],
    [90_000, '90s'],
    [120_000, '2m'],
    [5_400_000, '90m'],
    [7_200_000, '2h'],
    [129_600_000, '36h'],
    [604_800_000, '7d'],
  ] as const)
    it(`is written ${text}, and read again`, () => {
      assert.equal(formatDuration(ms), text);
      assert.equal(parseDuration(text), ms);
    });

  it('has a unit, and is a whole number of it', () => {
    for (const text of [
      '',
      '5',
      'm',
      '1.5h',
      '-1s',
      '1 s',
      ' 1s',
      '1s ',
      '1h30m',
      '1w',
      '1S',
      '123456789012s',
    ])
      assert.throws(() => parseDuration(text), /expected a duration such as/, text);
  });

  it('is a year at most', () => {
    assert.equal(parseDuration('366d'), 366 * 86_400_000);
    for (const text of ['367d', '31622400001ms'])
      assert.throws(
        () => parseDuration(text),
        (error) => error instanceof InvalidInputError && error.message.includes('more than a year'),
      );
  });
});
