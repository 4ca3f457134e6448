import assert from 'node:assert/strict';
import { mentionsMember } from '../../../../src/webhook/dispatch/mentions.js';

describe('a mention', () => {
  const cases: [text: string, isOne: boolean][] = [
    ['@bot', true],
    ['please, @Bot, go on', true],
    ['(@bot)', true],
    ['@bot.', true],
    ['line\n@bot', true],
    ['@somebody and @bot', true],
    ['@dev_1-x.y', true],
    ['bot', false],
    ['@bottle', false],
    ['mail x@bot', false],
    ['@@bot', false],
    ['path/@bot', false],
    ['a.@bot', false],
    ['a_@bot', false],
    ['a-@bot', false],
    ['@ bot', false],
    ['@bot-', true],
    ['@bot.example', false],
    ['', false],
  ];
  for (const [text, isOne] of cases) {
    it(`is ${isOne ? '' : 'not '}in ${JSON.stringify(text)}`, () => {
      assert.equal(mentionsMember(text, ['bot', 'dev_1-x.y']), isOne);
    });
  }

  it('of anybody is none of nobody', () => {
    assert.equal(mentionsMember('@bot', []), false);
  });
});
