import assert from 'node:assert/strict';
import { excerpt } from '../../../../../src/adapters/gitea/http/excerpt.js';

describe("an error's text from the forge's answer", () => {
  it('is the message of a JSON body', () => {
    assert.equal(excerpt('{"message":"no such branch","url":"https://x"}', 't'), 'no such branch');
  });

  it('escapes what could change a terminal or a log line', () => {
    const said = excerpt('a\u001b[31mb\r\nc\u202ed\u2028e', 't');
    assert.equal(said, 'a\\u{1b}[31mb\\u{d}\\u{a}c\\u{202e}d\\u{2028}e');
  });

  it('has at most 300 characters, escapes counted', () => {
    assert.equal(excerpt('x'.repeat(5_000), 't').length, 300);
    assert.ok(excerpt('\u0007'.repeat(5_000), 't').length <= 300);
  });

  it('never repeats the token, wherever the cut falls', () => {
    const token = 'f00dfeed'.repeat(5);
    for (let before = 1_150; before < 1_210; before += 1) {
      assert.ok(!excerpt('y'.repeat(before) + token, token).includes('f00d'));
    }
    for (let before = 0; before < 48; before += 1) {
      assert.ok(!excerpt('y'.repeat(before) + token.repeat(60), token).includes('f00d'));
    }
    assert.equal(excerpt(`bad ${token}!`, token), 'bad [token]!');
  });
});
