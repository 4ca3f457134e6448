import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { readSecret, secretsRead, writeSecret } from '../../../src/config/secrets.js';
import { redact, REDACTED } from '../../../src/domain/text/redact.js';
import { createLogger } from '../../../src/config/log.js';

function lines(
  secrets: readonly string[],
  level = 'info',
): { readonly log: ReturnType<typeof createLogger>; readonly written: string[] } {
  const written: string[] = [];
  const destination = { write: (line: string) => written.push(line) };
  const values = new Set(secrets);
  return { log: createLogger({ level, name: 'test', secrets: () => values, destination }), written };
}

/** What tokens are made of, and the two characters that JSON writes otherwise. */
const secretText = fc.stringMatching(/^[A-Za-z0-9+/=_"\\-]{12,40}$/);

describe('log', () => {
  it('blanks a secret in message, field, nested object and error', () => {
    const secret = 'tok-"quoted"-and/slashed';
    const { log, written } = lines([secret]);
    log.info(
      { url: `http://x/?t=${encodeURIComponent(secret)}`, deep: { list: [`a${secret}b`] } },
      `said ${secret}`,
    );
    log.error({ err: new Error(`failed with ${secret}`) }, 'no');
    const text = written.join('');
    assert.equal(written.length, 2);
    assert.equal(text.includes('quoted'), false, text);
    assert.ok(text.includes(REDACTED));
  });

  it('whatever the secret, it never appears, and each line is still one JSON object', () => {
    fc.assert(
      fc.property(secretText, fc.string({ unit: 'grapheme' }), (secret, around) => {
        const { log, written } = lines([secret]);
        log.info({ field: around + secret }, `${secret}${around}`);
        assert.equal(written.length, 1);
        const parsed = JSON.parse(written[0] ?? '') as { readonly field: string; readonly msg: string };
        assert.equal(`${parsed.field} ${parsed.msg} ${written[0] ?? ''}`.includes(secret), false);
      }),
    );
  });

  it('blanks a secret that was replaced while it runs: the old one and the new one', () => {
    const home = mkdtempSync(path.join(tmpdir(), 'bb-log-'));
    try {
      const values = ['the-token-of-yesterday', 'the-token-of-today'];
      const written: string[] = [];
      const destination = { write: (line: string) => written.push(line) };
      const log = createLogger({ level: 'info', name: 'test', secrets: secretsRead, destination });
      for (const value of values) {
        const file = writeSecret(home, 'forge-token', new TextEncoder().encode(value));
        assert.equal(readSecret(file, 'forge-token'), value);
        log.info(
          { err: new Error(`refused with ${value}`) },
          values.slice(0, values.indexOf(value) + 1).join(),
        );
      }
      const text = written.join('');
      assert.equal(text.split(REDACTED).length - 1, 7);
      for (const value of values) assert.equal(text.includes(value), false, text);
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  it('control and bidi characters are escaped, so a line cannot act on a terminal', () => {
    const { log, written } = lines([]);
    const hostile = '\u001b]0;owned\u0007 \u009b31m \u202e \u2028 \u{e0041}';
    log.info({ title: hostile }, hostile);
    const line = written[0] ?? '';
    assert.doesNotMatch(line.trimEnd(), /[\p{Cc}\p{Cf}\u2028\u2029]/u);
    assert.equal((JSON.parse(line) as { title: string }).title, hostile);
  });

  it('lines below the level are not written', () => {
    const { log, written } = lines([], 'warn');
    log.info('quiet');
    log.warn('loud');
    assert.equal(written.length, 1);
  });

  it('of two secrets where one begins the other, nothing of the longer is left', () => {
    assert.equal(
      redact(new Set(['abcdefgh', 'abcdefgh-ijkl']))('x abcdefgh-ijkl y abcdefgh'),
      `x ${REDACTED} y ${REDACTED}`,
    );
  });
});
