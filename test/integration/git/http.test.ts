import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitError } from '../../../src/domain/base/errors.js';
import { BRANCH, GitFixture, REPO, pushedVerdict } from './git-fixture.js';
import { HttpForge } from './http-forge.js';

const TOKEN = 'f00dfeedf00dfeedf00dfeedf00dfeedf00dfeed';
const ENCODED = Buffer.from(`bot-bottle:${TOKEN}`).toString('base64');

describe('git over HTTP with a token', () => {
  let fixture: GitFixture;
  let forge: HttpForge;
  const repository = (token = TOKEN) =>
    fixture.repository({
      cloneUrl: ({ owner, repo }) => `${forge.url}/${owner}/${repo}.git`,
      readToken: () => token,
      publishToken: () => token,
    });
  const failure = async (work: Promise<unknown>): Promise<GitError> => {
    try {
      await work;
    } catch (error) {
      assert.ok(error instanceof GitError, String(error));
      for (const secret of [TOKEN, ENCODED, 'wr0ng'])
        assert.ok(!error.message.includes(secret), error.message);
      return error;
    }
    throw new Error('it did not fail');
  };

  beforeEach(async () => {
    fixture = new GitFixture();
    forge = await HttpForge.start(join(fixture.root, 'forge'), TOKEN);
  });
  afterEach(async () => {
    await forge.stop();
    fixture.remove();
  });

  it('reads, writes, and shows the token in no command line', async () => {
    // A git in front of the real one writes down how it is called.
    const bin = join(fixture.root, 'bin');
    const calls = join(fixture.root, 'calls');
    mkdirSync(bin);
    const path = process.env['PATH'] ?? '';
    writeFileSync(
      join(bin, 'git'),
      `#!/bin/sh\nprintf '%s\\n' "$*" >>'${calls}'\nPATH='${path}' exec git "$@"\n`,
    );
    chmodSync(join(bin, 'git'), 0o755);
    const head = fixture.commit(fixture.work, 'a.txt', 'a');
    const bundleFile = fixture.bundle();
    process.env['PATH'] = `${bin}:${path}`;
    try {
      const refs = await repository().refresh(REPO, BRANCH, []);
      assert.equal(refs.startSha, fixture.base);
      assert.deepEqual(await fixture.publish({ bundleFile }, repository()), pushedVerdict(head));
    } finally {
      process.env['PATH'] = path;
    }
    assert.equal(fixture.forgeTip(), head);
    const seen = readFileSync(calls, 'utf8');
    assert.match(seen, / push /);
    assert.ok(!seen.includes(TOKEN) && !seen.includes(ENCODED), seen);
    assert.ok(forge.requests.length > 3);
    assert.deepEqual(forge.exposed, []);
  });

  it('would notice a token in a command line', async () => {
    // Waits for its standard input.
    const bystander = spawn('cat', ['-', TOKEN]);
    const ended = new Promise((resolve) => bystander.once('close', resolve));
    try {
      await repository().refresh(REPO, BRANCH, []);
      assert.ok(forge.exposed.length > 0);
    } finally {
      bystander.kill();
      await ended;
    }
  });

  it('asks once when nothing has changed', async () => {
    const git = repository();
    await git.refresh(REPO, BRANCH, []);
    forge.requests.length = 0;
    await git.refresh(REPO, BRANCH, []);
    assert.deepEqual(forge.requests, [
      'GET /alice/demo.git/info/refs?service=git-upload-pack',
      'POST /alice/demo.git/git-upload-pack',
    ]);
  });

  it('fails for good when the token is refused, and does not say it', async () => {
    const error = await failure(repository('wr0ng').refresh(REPO, BRANCH, []));
    assert.equal(error.retryable, false);
    assert.match(error.message, /refused the token/);
    fixture.commit(fixture.work, 'a.txt', 'a');
    const onlyRead = fixture.repository({
      cloneUrl: () => `${forge.url}/alice/demo.git`,
      readToken: () => TOKEN,
      publishToken: () => 'wr0ng',
    });
    assert.equal((await failure(fixture.publish({}, onlyRead))).retryable, false);
    assert.deepEqual(fixture.quarantines(), []);
  });

  for (const status of [403, 404]) {
    it(`fails for good on ${String(status)}`, async () => {
      forge.fault = { status };
      assert.equal((await failure(repository().refresh(REPO, BRANCH, []))).retryable, false);
    });
  }

  it('may be repeated when the forge is down', async () => {
    forge.fault = { status: 502 };
    assert.equal((await failure(repository().refresh(REPO, BRANCH, []))).retryable, true);
    forge.fault = 'drop';
    assert.equal((await failure(repository().refresh(REPO, BRANCH, []))).retryable, true);
    const nowhere = fixture.repository({ cloneUrl: () => 'http://127.0.0.1:1/a/b.git' });
    assert.equal((await failure(nowhere.refresh(REPO, BRANCH, []))).away, true);
    forge.fault = undefined;
    assert.equal((await repository().refresh(REPO, BRANCH, [])).baseSha, fixture.base);
  });

  describe('that is called off while the forge does not answer', () => {
    const calledOffAt = (request: number): AbortSignal => {
      const off = new AbortController();
      let seen = 0;
      forge.fault = () => {
        seen += 1;
        if (seen === request) off.abort();
        return seen >= request;
      };
      return off.signal;
    };

    it('pushes nothing', async () => {
      fixture.commit(fixture.work, 'a.txt', 'a');
      const off = new AbortController();
      const git = fixture.repository({
        cloneUrl: () => `${forge.url}/alice/demo.git`,
        readToken: () => TOKEN,
        // Read just before the push, after every check.
        publishToken: () => {
          calledOffAt(1).addEventListener('abort', () => {
            off.abort();
          });
          return TOKEN;
        },
      });
      const error = await failure(fixture.publish({ signal: off.signal }, git));
      assert.match(error.message, /^git push was given up/);
      assert.match(forge.requests.at(-1) ?? '', /receive-pack/);
      assert.equal(fixture.forgeTip(), '');
      assert.deepEqual(fixture.quarantines(), []);
    });

    // `ls-remote` takes two requests.
    for (const [verb, request] of [
      ['ls-remote', 1],
      ['fetch', 3],
    ] as const)
      it(`waits for no ${verb}`, async () => {
        const off = calledOffAt(request);
        const { message } = await failure(repository().refresh(REPO, BRANCH, [], undefined, off));
        assert.equal(message, `git ${verb} was given up`);
        forge.fault = undefined;
        assert.equal((await repository().branches(REPO, ['main'])).branches.get('main'), fixture.base);
      });
  });

  it('does not take the token to another address', async () => {
    const other = await HttpForge.start(join(fixture.root, 'forge'), TOKEN);
    try {
      forge.fault = {
        status: 302,
        location: `${other.url}/alice/demo.git/info/refs?service=git-upload-pack`,
      };
      assert.equal((await failure(repository().refresh(REPO, BRANCH, []))).retryable, false);
      assert.deepEqual(other.requests, []);
    } finally {
      await other.stop();
    }
  });
});
