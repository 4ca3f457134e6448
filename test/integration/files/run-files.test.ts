import assert from 'node:assert/strict';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENT_LOG_BYTES } from '../../../src/adapters/files/run/agent-log.js';
import { LocalRunFiles, type RunFilesOptions } from '../../../src/adapters/files/run/run-files.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import type { TurnInput, TurnRecord } from '../../../src/domain/run/run-files.js';
import type { SecretNeed } from '../../../src/domain/secret/secret-need.js';
import { STOP_REASONS } from '../../../src/domain/run/turn.js';

const slug = 'impl-alice-demo-12-abcde';
const isRoot = process.getuid?.() === 0;
const sha = 'a'.repeat(40);

const input: TurnInput = {
  turn: 2,
  argv: ['/bin/agent', '--x', 'a b'],
  env: { A: '1', B: 'x=y\nz' },
  prompt: '# Hi\n',
  branch: 'bot-bottle/12-abcde',
  start: sha,
  gitUser: { name: 'Ann O', email: 'ann@example.org' },
  wantsSidecar: true,
  wantsEgress: true,
  resetTo: 'b'.repeat(40),
  shallow: [sha],
  sparse: ['docs', 'src/a b'],
  submodules: [],
  home: { '.a/b.c': 'x\ny\n', '.d': '' },
  files: { 'mcp.json': '{}\n' },
  setup: 'echo hi\n',
  turnJson: { turn: 2 },
};
const record: TurnRecord = {
  turn: 1,
  previousStart: '2026-11-21T11:00:00.123456789Z',
  refs: { startSha: sha, baseBranch: 'main', baseSha: sha, branchSha: null },
  baseSha: sha,
  logSince: null,
  lastCheckinAt: 5,
  done: { id: 'abcdefgh', status: 'success', summary: 'ok', at: 4 },
  sidecarRestarts: 1,
  heldMs: 7,
  askedMs: 3,
  stopped: 'watchdog',
  setAside: 'open_pr request3 was under way at two crashes of the worker',
  stopDetail: null,
  disk: { held: { bytes: 1, inodes: 2 } },
  provider: { name: 'scripted', version: null },
  sessionId: null,
  lost: ['home'],
  reported: { inputTokens: 5, cachedTokens: 1, outputTokens: 2, usd: 0.5 },
};

async function rights(path: string): Promise<string> {
  const { mode, uid } = await stat(path);
  return `${(mode & 0o7777).toString(8)} ${String(uid)}`;
}

const needs = (...names: readonly string[]): SecretNeed[] =>
  names.map((name) => ({ name, authority: 'api.example.com:443', isVendors: false }));

describe('the files of a run', () => {
  let home: string;
  let files: LocalRunFiles;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'bb-files-'));
    files = filesWith();
  });
  afterEach(() => rm(home, { recursive: true }));

  function filesWith(options: Partial<RunFilesOptions> = {}): LocalRunFiles {
    return new LocalRunFiles({
      home,
      forgeToken: () => Promise.resolve('canary-token'),
      secret: (name) => Promise.resolve(`canary-${name}`),
      ...options,
    });
  }

  describe('the directories of a run', () => {
    it('are closed to others at the top and open to the containers below, whatever the umask', async () => {
      const umask = process.umask(0o077);
      try {
        const me = process.getuid?.() ?? -1;
        const paths = await filesWith({ canChown: false }).prepare(slug);
        assert.equal(await rights(join(home, 'state')), `700 ${String(me)}`);
        assert.equal(await rights(paths.root), `700 ${String(me)}`);
        assert.equal(await rights(paths.workspace), `777 ${String(me)}`);
        assert.equal(await rights(paths.queueOut), `777 ${String(me)}`);
        assert.equal(await rights(paths.queueIn), `755 ${String(me)}`);
        assert.equal(await rights(paths.turnInput), `755 ${String(me)}`);
      } finally {
        process.umask(umask);
      }
    });

    it('belong to the users of the containers when the host is root', async function () {
      if (!isRoot) this.skip();
      const paths = await files.prepare(slug);
      assert.equal(await rights(paths.workspace), '755 1000');
      assert.equal(await rights(paths.queueOut), '755 10001');
      await files.placeSecrets(slug, []);
      assert.equal(await rights(paths.bundleToken), '400 10001');
    });

    it('are left as they are by a second preparation, which never touches the workspace', async () => {
      const { workspace } = await files.prepare(slug);
      await writeFile(join(workspace, 'f'), 'x');
      const before = await stat(workspace, { bigint: true });
      await files.prepare(slug);
      const after = await stat(workspace, { bigint: true });
      assert.equal(after.ino, before.ino);
      assert.equal(after.ctimeNs, before.ctimeNs);
    });

    it('close a state directory that was open, and leave the mode of a home that was there', async () => {
      await chmod(home, 0o755);
      await mkdir(join(home, 'state'));
      await chmod(join(home, 'state'), 0o777);
      await files.prepare(slug);
      assert.match(await rights(join(home, 'state')), /^700 /);
      assert.match(await rights(home), /^755 /);
    });

    it('exist for slugs only', async () => {
      for (const bad of ['..', '../x', 'a/b', '', 'A', 'a\0']) {
        assert.throws(() => files.paths(bad), /not a run's slug/);
        await assert.rejects(files.prepare(bad), /not a run's slug/);
        await assert.rejects(files.removeTransient(bad), /not a run's slug/);
      }
      assert.deepEqual(await readdir(home), []);
    });
  });

  describe('the input of a turn', () => {
    it('is what the entrypoint reads', async () => {
      const { turnInput } = await files.prepare(slug);
      await files.writeTurnInput(slug, input);
      const read = async (name: string): Promise<string> => readFile(join(turnInput, name), 'utf8');
      assert.equal(await read('argv'), '/bin/agent\0--x\0a b\0');
      assert.equal(await read('env'), 'A=1\0B=x=y\nz\0');
      assert.equal(await read('prompt.md'), '# Hi\n');
      assert.equal(await read('git-user'), 'Ann O\nann@example.org\n');
      assert.equal(await read('turn'), '2\n');
      assert.equal(await read('branch'), 'bot-bottle/12-abcde\n');
      assert.equal(await read('start'), `${sha}\n`);
      assert.equal(await read('reset'), `${'b'.repeat(40)}\n`);
      assert.equal(await read('wants-sidecar'), '');
      assert.equal(await read('shallow'), `${sha}\n`);
      assert.equal(await read('sparse'), 'docs\nsrc/a b\n');
      assert.equal(await read('home'), '.a/b.c\0x\ny\n\0.d\0\0');
      assert.equal(await read('setup'), 'echo hi\n');
      assert.equal(await read('wants-egress'), '');
      assert.deepEqual(JSON.parse(await read('turn.json')), { turn: 2 });
      assert.equal(await read('files/mcp.json'), '{}\n');
      for (const name of await readdir(turnInput, { recursive: true }))
        assert.match(await rights(join(turnInput, name)), name === 'files' ? /^755 / : /^644 /);
    });

    it('is replaced in the same directory, without what is stale, and leaves the bundle of refs', async () => {
      const { turnInput } = await files.prepare(slug);
      await files.writeTurnInput(slug, input);
      await writeFile(join(turnInput, 'refs.bundle'), 'refs');
      await writeFile(join(turnInput, '.writing-argv-0000'), 'left by a crash');
      const { ino } = await stat(turnInput);
      await files.writeTurnInput(slug, {
        ...{ ...input, turn: 3, wantsSidecar: false, wantsEgress: false, resetTo: null },
        ...{ shallow: [], sparse: [], submodules: [], home: {}, files: {}, setup: null },
      });
      assert.equal((await stat(turnInput)).ino, ino);
      assert.deepEqual((await readdir(turnInput)).sort(), [
        'argv',
        'branch',
        'env',
        'git-user',
        'prompt.md',
        'refs.bundle',
        'start',
        'turn',
        'turn.json',
      ]);
    });

    it('is gone after the turn, refs and all, but for the end of the history, which later readers need', async () => {
      const { turnInput } = await files.prepare(slug);
      await files.writeTurnInput(slug, input);
      await writeFile(join(turnInput, 'refs.bundle'), 'refs');
      const { ino } = await stat(turnInput);
      await files.dropTurnInput(slug);
      await files.dropTurnInput(slug);
      assert.deepEqual(await readdir(turnInput), ['shallow']);
      assert.equal((await stat(turnInput)).ino, ino);
    });

    it('is refused when the format cannot carry it', async () => {
      await files.prepare(slug);
      const bad: Partial<TurnInput>[] = [
        { argv: [] },
        { argv: ['a\0b'] },
        { env: { 'A=B': '' } },
        { env: { A: '\0' } },
        { branch: 'a\nb' },
        { branch: '' },
        { start: 'main' },
        { resetTo: '--all' },
        { gitUser: { name: 'a\nb', email: 'c' } },
        { shallow: ['main'] },
        { sparse: ['a\nb'] },
        { home: { '../x': '' } },
        { home: { '/etc/x': '' } },
        { home: { '.x': '\0' } },
      ];
      for (const part of bad)
        await assert.rejects(files.writeTurnInput(slug, { ...input, ...part }), { code: 'invalid_input' });
    });
  });

  describe('what a run leaves on disk', () => {
    it('is read by the next instance', async () => {
      await files.prepare(slug);
      assert.equal(await files.readTurn(slug, 1), undefined);
      await files.writeTurn(slug, { ...record, sidecarRestarts: 0 });
      await files.writeTurn(slug, record);
      await files.appendOperations(slug, 1, ['{"a":1}']);
      await files.appendOperations(slug, 1, ['{"a":2}', '{"a":3}']);
      const path = await files.saveFile(slug, 'transcript/session.tar', new Uint8Array([0, 255]));
      const next = filesWith();
      assert.deepEqual(await next.readTurn(slug, 1), record);
      // A reason that is not read again would fail the run.
      for (const stopped of STOP_REASONS) {
        await files.writeTurn(slug, { ...record, stopped });
        assert.equal((await next.readTurn(slug, 1))?.stopped, stopped);
      }
      assert.equal(await next.readOperations(slug, 1), '{"a":1}\n{"a":2}\n{"a":3}\n');
      assert.equal(await next.readOperations(slug, 2), '');
      assert.deepEqual(
        Uint8Array.from((await next.readFile(slug, 'transcript/session.tar')) ?? []),
        new Uint8Array([0, 255]),
      );
      assert.equal(path, join(next.paths(slug).transcript, 'session.tar'));
      assert.equal(await next.readFile(slug, 'transcript/none'), undefined);
      await files.saveFile(slug, 'transcript/other.tar', 'x');
      assert.deepEqual([...(await next.listFiles(slug, 'transcript'))].sort(), ['other.tar', 'session.tar']);
      for (const none of ['nowhere', 'nowhere/deeper'])
        assert.deepEqual(await next.listFiles(slug, none), []);
      for (const gone of ['transcript/other.tar', 'transcript/other.tar', 'nowhere/none'])
        await next.removeFile(slug, gone);
      assert.deepEqual(await next.listFiles(slug, 'transcript'), ['session.tar']);
      assert.equal(await next.readFile(slug, 'nowhere/none'), undefined);
    });

    it('is refused clearly when a record is damaged', async () => {
      const { root } = await files.prepare(slug);
      await files.writeTurn(slug, record);
      await writeFile(join(root, 'turns/1/record.json'), '{"turn":1');
      await assert.rejects(files.readTurn(slug, 1), /turns\/1\/record.json is not a turn's record/);
    });

    it('is read where an earlier version wrote a record with less', async () => {
      const { root } = await files.prepare(slug);
      const blank = {
        askedMs: 0,
        stopDetail: null,
        setAside: null,
        disk: null,
        provider: null,
        lost: [],
        reported: null,
      };
      await files.writeTurn(slug, record);
      const earlier = JSON.stringify(record, (key, value: unknown) => (key in blank ? undefined : value));
      await writeFile(join(root, 'turns/1/record.json'), earlier);
      assert.deepEqual(await files.readTurn(slug, 1), { ...record, ...blank });
    });

    it('never comes from or goes to a place that is not the host’s own', async () => {
      await files.prepare(slug);
      const outside = [
        '../secret',
        '/etc/passwd',
        'a/../../secret',
        'workspace/f',
        'queue/out/f',
        'turn/argv',
        'bundle/forge-token',
        '',
        '.',
        'a//b',
        'a/',
        '.hidden',
        'a\0b',
        'a\\..\\b/..',
      ];
      for (const path of outside) {
        await assert.rejects(files.saveFile(slug, path, 'x'), /not a file of a run/, path);
        await assert.rejects(files.readFile(slug, path), /not a file of a run/, path);
        await assert.rejects(files.removeFile(slug, path), /not a file of a run/, path);
      }
    });

    it('has a line once that a crash cut and that is given again', async () => {
      const { root } = await files.prepare(slug);
      const line = (text: string): { stream: 'stdout'; at: string; text: string } => ({
        stream: 'stdout',
        at: '2026-11-21T11:00:00.1Z',
        text,
      });
      const log = join(root, 'turns/1/agent.log');
      await files.appendLog(slug, 1, [line('whole'), line(`long ${'é'.repeat(10_000)}`)]);
      const whole = await readFile(log);
      for (const cut of [1, 2, 4_097, 15_000]) {
        await truncate(log, whole.length - cut);
        await files.appendLog(slug, 1, [line(`long ${'é'.repeat(10_000)}`)]);
        assert.deepEqual(await readFile(log), whole);
      }
      await truncate(log, 5);
      await files.appendLog(slug, 1, [line('whole')]);
      assert.equal(await readFile(log, 'utf8'), '2026-11-21T11:00:00.1Z stdout whole\n');
    });

    it('has the agent’s log up to a cap, with one mark where it ends', async () => {
      files = filesWith({ maxLogBytes: 500 });
      const { root } = await files.prepare(slug);
      const line = { stream: 'stdout', at: '2026-11-21T11:00:00.1Z', text: 'x\ny' } as const;
      await files.appendLog(slug, 1, [line]);
      for (let i = 0; i < 40; i += 1) await files.appendLog(slug, 1, [line, line]);
      const text = await readFile(join(root, 'turns/1/agent.log'), 'utf8');
      assert.ok(text.startsWith('2026-11-21T11:00:00.1Z stdout x y\n'));
      assert.equal(text.match(/the log is full/g)?.length, 1);
      assert.ok(text.length <= 500);
    });

    it('has no more of it than its cap where none is given', async () => {
      const { root } = await files.prepare(slug);
      const log = join(root, 'turns/1/agent.log');
      const line = { stream: 'stdout', at: '2026-11-21T11:00:00.1Z', text: 'x' } as const;
      await files.appendLog(slug, 1, [line]);
      await truncate(log, AGENT_LOG_BYTES - 1);
      await appendFile(log, '\n');
      assert.equal((await files.appendLog(slug, 1, [line])).lines, 1, 'not kept');
      assert.equal((await stat(log)).size, AGENT_LOG_BYTES);
    });

    it('says at the end of a full log how much is missing, once', async () => {
      files = filesWith({ maxLogBytes: 500 });
      const { root } = await files.prepare(slug);
      const line = { stream: 'stdout', at: '2026-11-21T11:00:00.1Z', text: 'ü\0\u{1b}' } as const;
      const whole = Buffer.byteLength(`${line.at} stdout ${line.text}\n`);
      const dropped = { lines: 0, bytes: 0 };
      for (let i = 0; i < 20; i += 1) {
        const missing = await files.appendLog(slug, 1, [line, line]);
        dropped.lines += missing.lines;
        dropped.bytes += missing.bytes;
      }
      for (let i = 0; i < 2; i += 1) await files.noteMissingLog(slug, 1, { ...dropped, mayHaveGap: false });
      const text = await readFile(join(root, 'turns/1/agent.log'), 'utf8');
      const kept = text.split(line.text).length - 1;
      assert.deepEqual(dropped, { lines: 40 - kept, bytes: (40 - kept) * whole });
      assert.equal(
        text.slice(text.indexOf('- host')).replace(/\n+/g, '\n'),
        `- host the log is full; further output of this turn is not kept\n- host at least ${String(40 - kept)} lines (${String(dropped.bytes)} bytes) of this turn are not kept\n`,
      );
    });

    it('keeps of all turns of a run no more than one cap', async () => {
      files = filesWith({ maxLogBytes: 500, maxRunLogBytes: 700 });
      const { root } = await files.prepare(slug);
      const lines = Array.from(
        { length: 40 },
        () => ({ stream: 'stdout', at: 't', text: 'x'.repeat(40) }) as const,
      );
      for (const turn of [1, 2, 3]) {
        const dropped = await files.appendLog(slug, turn, lines);
        await files.noteMissingLog(slug, turn, { ...dropped, mayHaveGap: turn === 2 });
      }
      const sizes = await Promise.all(
        [1, 2, 3].map(async (turn) => (await readFile(join(root, `turns/${String(turn)}/agent.log`))).length),
      );
      assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 1000, String(sizes));
      assert.match(
        await readFile(join(root, 'turns/2/agent.log'), 'utf8'),
        /^- host lines of this turn may be missing/m,
      );
      assert.match(await readFile(join(root, 'turns/3/agent.log'), 'utf8'), /^- host at least 40 lines/);
    });

    it('has an operation once that a crash cut and that is given again', async () => {
      const { root } = await files.prepare(slug);
      await files.appendOperations(slug, 1, ['{"id":"a"}', '{"id":"b"}']);
      await truncate(join(root, 'turns/1/operations.jsonl'), 15);
      await files.appendOperations(slug, 1, ['{"id":"b"}', '{"id":"c"}']);
      assert.equal(await files.readOperations(slug, 1), '{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n');
    });

    it('has the operations of a turn up to a cap, and one more that says so', async () => {
      files = filesWith({ maxOperationBytes: 1000 });
      await files.prepare(slug);
      const line = JSON.stringify({ id: 'x'.repeat(100) });
      for (let i = 0; i < 20; i += 1) await files.appendOperations(slug, 1, [line, line]);
      const text = await files.readOperations(slug, 1);
      assert.equal(Buffer.byteLength(text), 1000);
      const read = text
        .split('\n')
        .filter((one) => one !== '')
        .map((one) => JSON.parse(one) as { text?: string });
      assert.ok(read.length > 5);
      assert.match(read.at(-1)?.text ?? '', /not kept/);
      assert.ok(read.slice(0, -1).every((one) => one.text === undefined));
    });

    it('says of each turn that its operations are not all kept: of a run, an id counts once', async () => {
      files = filesWith({ maxOperationBytes: 500 });
      await files.prepare(slug);
      const marks = new Set<unknown>();
      for (const turn of [1, 2]) {
        await files.appendOperations(
          slug,
          turn,
          Array<string>(20).fill(JSON.stringify({ id: 'x'.repeat(50) })),
        );
        const last = (await files.readOperations(slug, turn)).trimEnd().split('\n').at(-1) ?? '';
        const { id, text } = JSON.parse(last) as { id: unknown; text: string };
        assert.match(text, /not kept/);
        marks.add(id);
      }
      assert.equal(marks.size, 2);
    });
  });

  describe('the secrets of a run', () => {
    it('are files that are gone when they are dropped', async () => {
      files = filesWith({ canChown: false });
      const { bundleToken, bundleSecrets, root } = await files.prepare(slug);
      await files.placeSecrets(slug, needs('one', 'two'));
      await files.placeSecrets(slug, needs('two', 'three'));
      assert.equal(await readFile(bundleToken, 'utf8'), 'canary-token');
      assert.deepEqual((await readdir(bundleSecrets)).sort(), ['three', 'two']);
      assert.equal(await readFile(join(bundleSecrets, 'two'), 'utf8'), 'canary-two');
      for (const file of [bundleToken, join(bundleSecrets, 'two')]) assert.match(await rights(file), /^444 /);
      assert.match(await rights(join(root, 'bundle')), /^700 /);
      // A crash in the middle of writing one.
      for (const half of [
        join(root, 'bundle', '.writing-forge-token-0'),
        join(bundleSecrets, '.writing-two-0'),
      ])
        await writeFile(half, 'canary');
      await files.dropSecrets(slug);
      await files.dropSecrets(slug);
      assert.deepEqual(await readdir(join(root, 'bundle')), ['secrets']);
      assert.deepEqual(await readdir(bundleSecrets), []);
    });

    it('have names that stay in their directory', async () => {
      files = filesWith({ canChown: false });
      await files.prepare(slug);
      for (const name of ['../x', 'a/b', '', '.a', 'A'])
        await assert.rejects(files.placeSecrets(slug, needs(name)), InvalidInputError);
    });
  });

  describe('what a bottle is shown of its configuration', () => {
    it('is replaced file by file, and a file that stays the same is left alone', async () => {
      files = filesWith({ canChown: false });
      const { currentConfig } = await files.prepare(slug);
      await files.writeCurrentConfig(slug, { allowlist: 'a\n', Dockerfile: 'FROM x' });
      const before = await stat(join(currentConfig, 'allowlist'));
      await files.writeCurrentConfig(slug, { allowlist: 'a\n', 'routes.json': '{}' });
      assert.deepEqual((await readdir(currentConfig)).sort(), ['allowlist', 'routes.json']);
      assert.equal((await stat(join(currentConfig, 'allowlist'))).ino, before.ino);
      await files.writeCurrentConfig(slug, { allowlist: 'b\n', 'routes.json': '{}' });
      assert.equal(await readFile(join(currentConfig, 'allowlist'), 'utf8'), 'b\n');
      assert.match(await rights(join(currentConfig, 'allowlist')), /^644 /);
    });
  });

  describe('the end of a run', () => {
    it('keeps turns, transcript and metadata, and nothing else', async () => {
      const { root, queueOut } = await files.prepare(slug);
      await files.placeSecrets(slug, []);
      await files.writeTurn(slug, record);
      await files.saveFile(slug, 'metadata.json', '{}');
      await files.saveFile(slug, 'unpublished.bundle', 'x');
      await writeFile(join(home, 'outside'), 'x');
      await symlink(join(home, 'outside'), join(queueOut, 'link'));
      await files.removeTransient(slug);
      await files.removeTransient(slug);
      assert.deepEqual((await readdir(root)).sort(), [
        'metadata.json',
        'transcript',
        'turns',
        'unpublished.bundle',
      ]);
      assert.equal(await readFile(join(home, 'outside'), 'utf8'), 'x');
    });

    it('does not open a workspace that is not empty, and takes the token away all the same', async () => {
      const { workspace, bundleToken } = await files.prepare(slug);
      await files.placeSecrets(slug, []);
      await mkdir(join(workspace, 'd'));
      await assert.rejects(files.removeTransient(slug), /workspace is not empty/);
      await assert.rejects(stat(bundleToken), /ENOENT/);
      assert.deepEqual(await readdir(workspace), ['d']);
    });
  });
});
