import assert from 'node:assert/strict';
import fc from 'fast-check';
import { escapeJson, escapeTerminal, escapeTerminalLines } from '../../../../src/domain/text/escape.js';

const anyText = fc.string({ unit: 'binary', maxLength: 200, size: 'max' });

describe('escaping for a terminal', () => {
  it('leaves no character that acts instead of being shown, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => !/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(escapeTerminal(text))),
    );
  });

  it('keeps newlines and tabs, and nothing else, where lines are wanted', () => {
    fc.assert(
      fc.property(anyText, (text) => !/[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}]/u.test(escapeTerminalLines(text))),
    );
    assert.equal(escapeTerminalLines('a\tb\nc\r'), 'a\tb\nc\\u{d}');
  });

  it('changes nothing that is only printable', () => {
    const printable = fc.string({
      unit: fc.constantFrom('a', ' ', 'Ä', '漢', '🙂', '"', '\\', '<', '&', ';', '$', '`'),
    });
    fc.assert(fc.property(printable, (text) => escapeTerminal(text) === text));
  });

  it('escaping twice is escaping once', () => {
    fc.assert(fc.property(anyText, (text) => escapeTerminal(escapeTerminal(text)) === escapeTerminal(text)));
  });

  it('shows colours, titles, C1 controls, bidi, zero width and lone surrogates as numbers', () => {
    assert.equal(escapeTerminal('\u001b[31m'), '\\u{1b}[31m');
    assert.equal(escapeTerminal('\u009b'), '\\u{9b}');
    assert.equal(escapeTerminal('a\u202eb\u200b'), 'a\\u{202e}b\\u{200b}');
    assert.equal(escapeTerminal('\ud800'), '\\u{d800}');
    assert.equal(escapeTerminal('\u{e0041}'), '\\u{e0041}');
  });
});

describe('JSON for a terminal', () => {
  it('is the same document without what a terminal acts on or hides', () => {
    const value = { a: '\u007f\u009b[31m\u202e\u2028\u{e0041}Ä🙂', b: ['\u001b', '\n'] };
    const shown = escapeJson(JSON.stringify(value));
    assert.deepEqual(JSON.parse(shown), value);
    assert.equal(shown, '{"a":"\\u007f\\u009b[31m\\u202e\\u2028\\udb40\\udc41Ä🙂","b":["\\u001b","\\n"]}');
  });
});
