import assert from 'node:assert/strict';
import { branchNamed, isBaseName, isBranchName } from '../../../../src/domain/workspace/branch-name.js';
import { remoteEnvironment, withoutToken } from '../../../../src/adapters/git/git-environment.js';
import { plainText, remoteFailure } from '../../../../src/adapters/git/git-failure.js';
import { GitAccessError } from '../../../../src/domain/base/errors.js';
import { verbOf } from '../../../../src/adapters/git/run-git.js';

const TOKEN = 'secret/token+1';
const ENCODED = Buffer.from(`bot-bottle:${TOKEN}`).toString('base64');

describe('what git gets and what it says', () => {
  it('passes nothing of our own environment on', () => {
    process.env['GIT_DIR'] = '/x';
    process.env['LD_PRELOAD'] = '';
    try {
      const env = remoteEnvironment({
        url: 'https://forge.test/a/b.git',
        token: TOKEN,
        caFile: '/ca.pem',
      });
      assert.equal(env['GIT_DIR'], undefined);
      assert.equal(env['LD_PRELOAD'], undefined);
      assert.equal(env['GIT_SSL_CAINFO'], '/ca.pem');
      assert.equal(env['GIT_ALLOW_PROTOCOL'], 'https');
      assert.equal(env['GIT_CONFIG_KEY_2'], 'http.https://forge.test/.extraHeader');
      assert.equal(env['GIT_CONFIG_VALUE_2'], `Authorization: Basic ${ENCODED}`);
      // No limit of speed: a forge that counts the objects of a large repository sends next to nothing for minutes.
      assert.equal(env['GIT_CONFIG_COUNT'], '3');
    } finally {
      delete process.env['GIT_DIR'];
      delete process.env['LD_PRELOAD'];
    }
  });

  it('takes every form of the token out of a message', () => {
    const output = {
      exitCode: 128,
      stdout: '',
      stderr: `fatal: ${TOKEN} ${ENCODED} ${encodeURIComponent(TOKEN)}`,
    };
    assert.equal(remoteFailure('fetch', output, TOKEN).message, 'fetch: fatal: *** *** ***');
    assert.equal(withoutToken('as it is', ''), 'as it is');
  });

  it('never tries again what fsck found in the repository, whatever else the lines say', () => {
    const stderr = [
      'error: object 1f05: gitmodulesUrl: disallowed submodule url: ext::certificate',
      'fatal: fsck error in packed object',
    ].join('\n');
    const failure = remoteFailure('fetch', { exitCode: 128, stdout: '', stderr }, '');
    assert.deepEqual([failure.retryable, failure.away], [false, false]);
    assert.ok(!(failure instanceof GitAccessError), 'git may look at it');
    assert.match(failure.message, /an object that git does not accept, .*gitmodulesUrl/);
    // A hook of the forge may say the same of a push.
    const said = { exitCode: 128, stdout: '', stderr: 'remote: fatal: fsck error in packed object' };
    assert.equal(remoteFailure('push', said, '').retryable, true);
  });

  it('takes a certificate for refused only where git says so, not where a name does', () => {
    const url = 'https://forge.test/alice/certificate-tools.git/';
    const away = [
      `fatal: unable to access '${url}': The requested URL returned error: 502`,
      `fatal: ${url}info/refs not valid: could not determine hash algorithm; is this a git repository?`,
      "error: cannot lock ref 'refs/heads/peer-certificate'",
    ];
    const refused = [
      'SSL certificate problem: unable to get local issuer certificate',
      "SSL: no alternative certificate subject name matches target host name 'forge.test'",
      'server certificate verification failed. CAfile: none CRLfile: none',
      'error setting certificate verify locations:  CAfile: /ca.pem CApath: none',
    ].map((said) => `fatal: unable to access '${url}': ${said}`);
    for (const stderr of [...away, ...refused]) {
      const failure = remoteFailure('fetch', { exitCode: 128, stdout: '', stderr }, '');
      const isFinal = refused.includes(stderr);
      assert.deepEqual([failure.retryable, failure.away], [!isFinal, !isFinal], stderr);
      assert.equal(failure instanceof GitAccessError, isFinal);
      assert.equal(failure.message.includes('FORGE_CA_FILE'), isFinal);
    }
  });

  it('blames no token and no CA of ours for a host that gets none', () => {
    const said = (stderr: string, token: string): string =>
      remoteFailure('fetch', { exitCode: 128, stdout: '', stderr }, token).message;
    const secret = "fatal: could not read Username for 'https://example.test': terminal prompts disabled";
    assert.match(said(secret, TOKEN), /the forge refused the token/);
    assert.match(
      said(secret, ''),
      /^fetch: it lets nobody read without credentials, or has no such repository: fatal/,
    );
    const moved = "fatal: unable to access 'https://example.test/': The requested URL returned error: 301";
    assert.match(said(moved, ''), /^fetch: it answered with a redirect/);
    const own = 'SSL certificate problem: unable to get local issuer certificate';
    assert.match(said(own, TOKEN), /set FORGE_CA_FILE/);
    assert.match(said(own, ''), /FORGE_CA_FILE does not/);
  });

  it('makes one bounded line without tricks of what a forge says', () => {
    assert.equal(plainText('remote: \u001b[31mred\n\u202Eno\u0000 '), 'remote: [31mred no');
    assert.equal(plainText('x'.repeat(50), 10), `${'x'.repeat(10)}…`);
  });

  it('knows the subcommand for its messages', () => {
    assert.equal(verbOf(['--git-dir=/m', '-c', 'a=b', 'fetch', 'x']), 'fetch');
    // As the quarantine is named: a path of the host is no subcommand.
    assert.equal(verbOf(['--git-dir', '/home/alice/m', '-c', 'a=b', 'index-pack', '--stdin']), 'index-pack');
    assert.equal(verbOf(['-C', '/home/alice/m', 'log']), 'log');
  });

  it('takes only branch names that are safe everywhere', () => {
    for (const name of ['main', 'bot-bottle/12-abcde', 'release/1.0', 'a_b+c@d', 'feature=1'])
      assert.ok(isBranchName(name), name);
    for (const name of [
      '',
      '-x',
      'a..b',
      'a//b',
      'a/',
      'a/.b',
      '.a',
      'a.lock',
      'a b',
      'a:b',
      'a^',
      'a@{1}',
      'a\n',
      'ü',
    ]) {
      assert.ok(!isBranchName(name), JSON.stringify(name));
      assert.equal(isBaseName(name), name === 'ü', JSON.stringify(name));
    }
    for (const name of ['développement', 'de\u0301veloppement', '開発/主', 'feature/#12,13'])
      assert.deepEqual([isBaseName(name), isBranchName(name)], [true, false], name);
    for (const name of [
      'a`b',
      'a$b',
      "a'b",
      'a(b)',
      '#a',
      'a*',
      'a\u202Eb',
      'a\u3164',
      'a\uFE0F',
      'é'.repeat(201),
    ])
      assert.ok(!isBaseName(name), JSON.stringify(name));
    assert.equal(branchNamed('refs/heads/développement'), 'développement');
    assert.equal(branchNamed('refs/heads/main'), 'main');
    assert.equal(branchNamed('refs/tags/v1'), undefined);
  });
});
