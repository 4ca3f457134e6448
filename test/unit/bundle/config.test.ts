import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundleConfig, readToken, type Environment } from '../../../src/bundle/config.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';

describe("the sidecar's configuration", () => {
  let run: RunDirectory;
  beforeEach(() => (run = new RunDirectory({ turn: 3 })));
  afterEach(() => {
    run.remove();
  });

  const env = (over: Environment = {}): Environment => ({
    BUNDLE_RUN_DIR: run.root,
    BOTTLE_SLUG: 'dev-alice-demo-317-abcde',
    FORGE_GITEA_API: 'https://git.example/api/v1',
    FORGE_OWNER: 'alice',
    FORGE_REPO: 'demo',
    FORGE_ISSUE_NUMBER: '317',
    FORGE_PR_NUMBER: '',
    ...over,
  });

  it('reads the FORGE_* variables and the turn file', () => {
    const { paths, ...config } = readBundleConfig(env());
    assert.deepEqual(config, {
      slug: 'dev-alice-demo-317-abcde',
      hasForge: true,
      forgeApi: 'https://git.example/api/v1',
      owner: 'alice',
      repo: 'demo',
      issue: 317,
      pr: null,
      turn: 3,
      goesOnWith: null,
      forgeTransportSocket: null,
      rateLimits: { callsPerMinute: 240, writesPerMinute: 30 },
      egressUploadBytes: 64 * 1024 * 1024,
      budget: { tokens: null, microUsd: null },
      prices: [],
      readers: null,
    });
    assert.equal(paths.forgeSocket, run.socket);
  });

  it('has none of a forge where the run has none', () => {
    const { hasForge, forgeApi, owner, issue } = readBundleConfig({
      BUNDLE_RUN_DIR: env()['BUNDLE_RUN_DIR'],
      BOTTLE_SLUG: 'dev-demo-local-abcde',
      FORGE_KIND: 'none',
    });
    assert.deepEqual([hasForge, forgeApi, owner, issue], [false, '', '', 0]);
  });

  it('takes the pull request from the turn file, else from FORGE_PR_NUMBER', () => {
    assert.equal(readBundleConfig(env({ FORGE_PR_NUMBER: '318' })).pr, 318);
    run.writeTurn({ turn: 4, prNumber: 320 });
    assert.equal(readBundleConfig(env({ FORGE_PR_NUMBER: '318' })).pr, 320);
    run.writeTurn({ turn: 4, prNumber: null });
    assert.equal(readBundleConfig(env({ FORGE_PR_NUMBER: '318' })).pr, null);
  });

  it('takes the transport socket and the rate limits', () => {
    const config = readBundleConfig(
      env({
        FORGE_SOCKET: '/run/bottle/loopback/forge.sock',
        BUNDLE_CALLS_PER_MINUTE: '9',
        BUNDLE_WRITES_PER_MINUTE: '2',
      }),
    );
    assert.equal(config.forgeTransportSocket, '/run/bottle/loopback/forge.sock');
    assert.deepEqual(config.rateLimits, { callsPerMinute: 9, writesPerMinute: 2 });
  });

  for (const name of ['BOTTLE_SLUG', 'FORGE_GITEA_API', 'FORGE_OWNER', 'FORGE_REPO', 'FORGE_ISSUE_NUMBER']) {
    it(`names ${name} when it is missing`, () => {
      for (const value of ['', undefined]) {
        assert.throws(
          () => readBundleConfig(env({ [name]: value })),
          new InvalidInputError(`${name} is not set`),
        );
      }
    });
  }

  const wrong: [string, string[]][] = [
    ['FORGE_ISSUE_NUMBER', ['1/../2', '-1', '0', '1.5', '1e3', '0x10', ' 12', '9007199254740992', '012']],
    ['FORGE_PR_NUMBER', ['x', '9007199254740993']],
    ['FORGE_OWNER', ['a/b', '..', '-x']],
    ['FORGE_REPO', ['demo.git', 'a b']],
    ['FORGE_GITEA_API', ['git.example', 'file:///etc/passwd', 'https://user:secret@git.example']],
    ['BOTTLE_SLUG', ['../x', 'UPPER', '-']],
    ['BUNDLE_CALLS_PER_MINUTE', ['0', '-1', 'many', '1000000']],
  ];
  for (const [name, values] of wrong) {
    it(`names ${name} when it is wrong`, () => {
      for (const value of values) {
        assert.throws(
          () => readBundleConfig(env({ [name]: value })),
          (error) => error instanceof InvalidInputError && error.message.startsWith(`${name} must be `),
          value,
        );
      }
    });
  }

  it('names the turn file when it is missing or wrong', () => {
    const file = join(run.in, 'turn.json');
    for (const turn of [
      {},
      { turn: '1' },
      { turn: 0 },
      { turn: 1, prNumber: '7' },
      { turn: 1, budget: null },
      { turn: 1, budget: { tokens: 5 } },
      { turn: 1, budget: { tokens: -1, microUsd: null } },
      { turn: 1, budget: { tokens: 1.5, microUsd: null } },
      { turn: 1, prices: 'cheap' },
      { turn: 1, prices: null },
      { turn: 1, uploadBytes: '5' },
      { turn: 1, uploadBytes: -1 },
      { turn: 1, goesOnWith: 0 },
      { turn: 1, readers: null },
      { turn: 1, readers: 'alice' },
      { turn: 1, readers: [1] },
      { turn: 1, owner: '../x' },
      { turn: 1, repo: 7 },
      [],
      null,
    ]) {
      run.writeTurn(turn);
      assert.throws(() => readBundleConfig(env()), new RegExp(`^InvalidInputError: ${file}: `));
    }
    writeFileSync(file, '{');
    assert.throws(() => readBundleConfig(env()), /turn\.json: not JSON/);
    rmSync(file);
    assert.throws(() => readBundleConfig(env()), /turn\.json cannot be read \(ENOENT\): it holds the turn/);
  });

  it('reads the token, and never shows it in an error', () => {
    const file = join(run.root, 'forge-token');
    assert.equal(readToken(file), 'token-of-the-test');
    writeFileSync(file, 'my secret\n');
    assert.throws(
      () => readToken(file),
      (error) =>
        error instanceof Error && !error.message.includes('secret\n') && !error.message.includes('my'),
    );
    writeFileSync(file, '\n');
    assert.throws(() => readToken(file), /too short for a forge token/);
    rmSync(file);
    assert.throws(() => readToken(file), /forge-token cannot be read \(ENOENT\): it holds the forge token/);
  });
});
