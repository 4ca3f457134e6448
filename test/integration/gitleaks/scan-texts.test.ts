import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import { InvalidInputError, SecretScanError } from '../../../src/domain/base/errors.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { fakeGitleaks } from '../../support/gitleaks/fake-gitleaks.js';
import { plantedKey } from '../../support/gitleaks/planted-key.js';

describe('texts through the real gitleaks', function () {
  this.timeout(60_000);
  let scanner: GitleaksScanner;
  let dir: string;
  before(async () => {
    scanner = await GitleaksScanner.start({ program: gitleaksBinary() });
  });
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'bot-bottle-gitleaks-test-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true, force: true });
  });
  const found = async (...texts: string[]) =>
    (await scanner.scanTexts(texts.map((text, index) => ({ where: `text ${String(index)}`, text })))).map(
      ({ rule, where, line }) => `${rule} ${where}:${String(line)}`,
    );

  it('says its version', () => {
    assert.match(scanner.name, /^gitleaks \d+\.\d+\.\d+$/);
  });

  it('names rule, text and line, and never the secret', async () => {
    const key = plantedKey();
    assert.deepEqual(await found('nothing here', `one\ntwo ${key}\n`, '', 'last'), ['github-pat text 1:2']);
    const findings = await scanner.scanTexts([{ where: 'it', text: key, commit: 'c'.repeat(40) }]);
    assert.equal(findings[0]?.commit, 'c'.repeat(40));
    assert.ok(!JSON.stringify(findings).includes(key.slice(4)));
  });

  it('finds nothing in nothing', async () => {
    assert.deepEqual(await found(), []);
    assert.deepEqual(await found('', '\n\n', 'a plain sentence, and README.md'), []);
  });

  it('does not mind what the text asks for', async () => {
    const key = plantedKey();
    assert.deepEqual(await found(`${key} gitleaks:allow`), ['github-pat text 0:1']);
    assert.deepEqual(
      await found(`%PDF-1.4\n${key}`),
      ['github-pat text 0:2'],
      'a text that begins like a binary',
    );
    assert.deepEqual(await found(`\0\0${key}\0`), ['github-pat text 0:1']);
    assert.deepEqual(await found(`see ${Buffer.from(key).toString('base64')} there`), [
      'github-pat text 0:1',
    ]);
  });

  it('finds it wherever it stands in a text without an empty line', async () => {
    const key = plantedKey();
    // gitleaks cuts standard input after 100,000 bytes, later where a line is empty.
    for (const at of [16_370, 99_960, 124_980, 125_000]) {
      const lines = 'x'.repeat(59).concat('\n').repeat(4_000);
      const text = `${lines.slice(0, at)} ${key} ${lines.slice(at)}`;
      const line = text.slice(0, text.indexOf(key)).split('\n').length;
      assert.deepEqual(await found('before', text), [`github-pat text 1:${String(line)}`], String(at));
    }
  });

  it('finds it around every cut in a text of characters of three bytes', async () => {
    const key = plantedKey();
    // With windows of 48 KiB of such characters, the piece after 100,000 bytes was cut at 29,368 of them.
    for (let at = 29_328; at < 29_408; at += 4) {
      const text = `${'漢'.repeat(at)} ${key} ${'漢'.repeat(20_000)}`;
      assert.deepEqual(await found(text), ['github-pat text 0:1'], String(at));
    }
    // The pieces of now, and ends of windows in them.
    for (let at = 12_200; at < 13_000; at += 40) {
      const text = `${'漢'.repeat(at)} ${key} ${'漢'.repeat(20_000)}`;
      assert.deepEqual(await found(text), ['github-pat text 0:1'], String(at));
    }
  });

  it('believes no scan that does not come to its end', async () => {
    const faults: readonly (readonly [string, RegExp])[] = [
      ['echo "[]"; exit 7', /did not come to the end/],
      ['echo "[]"; exit 0', /ended with 0/],
      ['exit 1', /ended with 1/],
      ['kill -9 $$', /was ended by SIGKILL/],
      ['echo oops >&2; echo "[]"; exit 7', /oops/],
      ['echo "{}"; exit 7', /no report/],
      ['echo "[1]"; exit 7', /no report/],
      ['echo; exit 7', /no report/],
      ['sleep 60', /longer than 5000 ms/],
      [
        'while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done',
        /more than a report/,
      ],
    ];
    for (const [script, message] of faults) {
      // It passes the trial at the start, and then fails.
      const program = fakeGitleaks(dir, `[ -e ${dir}/broken ] || exec ${gitleaksBinary()} "$@"\n${script}`);
      const timeoutMs = script.startsWith('sleep') ? 5_000 : 60_000;
      const broken = await GitleaksScanner.start({ program, timeoutMs });
      writeFileSync(join(dir, 'broken'), '');
      await assert.rejects(
        broken.scanTexts([{ where: 'x', text: 'y' }]),
        (error) => error instanceof SecretScanError && error.retryable && message.test(error.message),
        script,
      );
      rmSync(join(dir, 'broken'));
    }
  });

  it('are scanned without this machine’s home and variables', async () => {
    const seen = join(dir, 'environment');
    const program = fakeGitleaks(dir, `env >${seen}; exec ${gitleaksBinary()} "$@"`);
    process.env['CANARY_TOKEN'] = 'canary';
    try {
      const spied = await GitleaksScanner.start({ program });
      assert.deepEqual(await spied.scanTexts([{ where: 'x', text: 'y' }]), []);
    } finally {
      delete process.env['CANARY_TOKEN'];
    }
    const environment = readFileSync(seen, 'utf8');
    assert.match(environment, /^HOME=\/nonexistent$/m);
    assert.doesNotMatch(environment, /canary/);
  });

  it('does not start with a program that is not there or can not do it, and says what to do', async () => {
    const says = (error: unknown): boolean =>
      error instanceof InvalidInputError && error.message.includes('script/bootstrap --only gitleaks');
    await assert.rejects(GitleaksScanner.start({ program: join(dir, 'nothing') }), says);
    await assert.rejects(GitleaksScanner.start({ program: '/bin/true' }), says);
    await assert.rejects(GitleaksScanner.start({ program: '/bin/false' }), says);
    await assert.rejects(GitleaksScanner.start({ program: fakeGitleaks(dir, 'echo "[]"; exit 7') }), says);
  });
});
