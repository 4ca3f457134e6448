import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scansOf } from '../../../src/activities/publish/publish-scans.js';
import { GitleaksScanner } from '../../../src/adapters/gitleaks/gitleaks-scanner.js';
import { AnswerReader } from '../../../src/bundle/answer-reader.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import { TextDesk } from '../../../src/bundle/text-desk.js';
import type { QueueDirectory } from '../../../src/domain/run/queue-directory.js';
import type { QueueBody } from '../../../src/domain/run/queue.js';
import { SecretGuard } from '../../../src/domain/secret/secret-guard.js';
import { builtBundle } from '../../support/bundle/built-bundle.js';
import { BundleProcess } from '../../support/bundle/bundle-process.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';
import { rpc, type RpcAnswer } from '../../support/bundle/unix-http.js';
import { until } from '../../support/bundle/until.js';
import { WorkerSide } from '../../support/bundle/worker-side.js';
import { sharedGitea } from '../../support/gitea/shared-gitea.js';
import type { Gitea } from '../../support/gitea/start-gitea.js';
import { gitleaksBinary } from '../../support/gitleaks/binary.js';
import { plantedKey } from '../../support/gitleaks/planted-key.js';

const KNOWN = 'the-publishers-token-0123456789';
const [SECRET_FOUND, UNCHECKED, RATE_LIMITED] = [-32006, -32007, -32002];

describe('texts that an agent posts, from a real sidecar to a real forge', function () {
  this.timeout(60_000);
  let file: string;
  let gitea: Gitea;
  let gitleaks: GitleaksScanner;
  let guard: SecretGuard;
  let number: number;
  let run: RunDirectory;
  let worker: WorkerSide;
  let bundle: BundleProcess;
  const known = () => [{ name: 'publish-token', value: KNOWN }];

  before(async () => {
    file = builtBundle();
    gitea = await sharedGitea();
    gitleaks = await GitleaksScanner.start({ program: gitleaksBinary() });
    guard = new SecretGuard(gitleaks, known);
  });
  beforeEach(async () => {
    number = await gitea.alice.createIssue({ title: 'A bug', body: 'It is broken' });
    run = new RunDirectory(undefined, gitea.bot.sidecarToken);
    worker = await WorkerSide.beside(run);
    bundle = new BundleProcess(file, run, {
      FORGE_GITEA_API: `${gitea.url}/api/v1`,
      FORGE_ISSUE_NUMBER: String(number),
    });
    await bundle.serving();
  });
  afterEach(async () => {
    await bundle.kill('SIGKILL');
    await worker.remove();
    run.remove();
  });

  const post = (body: string): Promise<RpcAnswer> => rpc(run.socket, 'post_comment', { number, body });
  const comments = async (): Promise<string[]> =>
    (await gitea.alice.api.list(`/repos/alice/demo/issues/${String(number)}/comments`)).map(({ body }) =>
      String(body).replace(/\n*<!--.*-->\n*/s, ''),
    );
  const description = async (): Promise<string> =>
    String((await gitea.alice.api.object('GET', `/repos/alice/demo/issues/${String(number)}`))['body']);
  const texts = () => run.messages().filter(({ body }) => body.kind === 'text');
  const aText = (): QueueBody => ({ kind: 'text', ...worker.turn, where: 'x', text: 'y', at: 1 });
  const answers = (): string[] => readdirSync(run.in).filter((name) => name !== 'turn.json');

  it('a key is refused with rule and line, and nothing of it is posted or kept; a clean text is posted', async () => {
    await worker.come(guard);
    const key = plantedKey();
    const refused = await post(`found this:\n\n\`${key}\`\n`);
    assert.equal(refused.error?.code, SECRET_FOUND);
    assert.match(
      refused.error.message,
      new RegExp(`looks like a secret: the comment on #${String(number)} line 3 \\(rule github-pat\\)`),
    );
    const described = await rpc(run.socket, 'update_description', { number, body: key });
    assert.equal(described.error?.code, SECRET_FOUND);
    assert.match(described.error.message, /the description of #\d+ line 1/);
    assert.deepEqual([await comments(), await description()], [[], 'It is broken']);

    assert.equal((await post('found a key in the history')).error, undefined);
    assert.equal((await rpc(run.socket, 'update_description', { number, body: 'clean' })).error, undefined);
    assert.deepEqual([await comments(), await description()], [['found a key in the history'], 'clean']);

    const scans = await scansOf({ files: worker.files }, worker.turn);
    assert.deepEqual(
      scans.map(({ outcome, rules, of }) => [outcome, rules, of]),
      [
        ['found', ['github-pat'], `the comment on #${String(number)}`],
        ['found', ['github-pat'], `the description of #${String(number)}`],
      ],
    );
    await bundle.kill('SIGTERM');
    await worker.endTurn();
    const log = new TextDecoder().decode(await worker.readFile('turns/1/operations.jsonl'));
    assert.match(log, /refused comment on #\d+: this looks like a secret/);
    assert.deepEqual([texts(), answers()], [[], []]);
    for (const kept of [log, JSON.stringify(scans), bundle.stderr, JSON.stringify(refused)])
      assert.ok(!kept.includes(key));
  });

  it('a key that is split by characters nobody sees is refused, since those are not posted', async () => {
    await worker.come(guard);
    const key = plantedKey();
    for (const invisible of ['\u00AD', '\u200B', '\u2060', '\u0001', '\u200D']) {
      const text = key.slice(0, 20) + invisible + key.slice(20);
      assert.equal((await post(text)).error?.code, SECRET_FOUND, JSON.stringify(invisible));
    }
    assert.deepEqual(await comments(), []);
  });

  it('secrets of ours are refused in any form, also where the scan is turned off', async () => {
    await worker.come(new SecretGuard(null, known));
    for (const text of [KNOWN, `see ${Buffer.from(KNOWN).toString('base64')}`]) {
      const { error } = await post(text);
      assert.equal(error?.code, SECRET_FOUND);
      assert.match(error.message, /rule known-secret:publish-token/);
    }
    const key = plantedKey();
    assert.equal((await post(key)).error, undefined);
    assert.deepEqual(await comments(), [key]);
  });

  it('the sidecar’s own token is refused by the sidecar, and is written nowhere', async () => {
    const { sidecarToken: token } = gitea.bot;
    const { error } = await post(`it is ${token}`);
    assert.equal(error?.code, SECRET_FOUND);
    assert.match(error.message, /secret of the orchestrator/);
    await bundle.kill('SIGTERM');
    assert.deepEqual(
      run.lines().map(({ outcome, operation }) => [outcome, operation]),
      [['refused', 'post_comment']],
    );
    assert.ok(!JSON.stringify(run.messages()).includes(token));
    assert.deepEqual(await comments(), []);
  });

  it('a scanner that fails posts nothing, and says so', async () => {
    const broken = {
      name: 'gitleaks 8.30.1',
      scanTexts: () => Promise.reject(new TypeError('a mistake of ours')),
      scanCommits: () => Promise.resolve([]),
    };
    await worker.come(new SecretGuard(broken, known));
    const { error } = await post('clean');
    assert.equal(error?.code, UNCHECKED);
    assert.match(error.message, /could not be checked for secrets.*try again/);
    assert.deepEqual([await comments(), worker.warnings], [[], ['text not checked']]);
  });

  it('a text waits for a worker that is away, and one that went in between is no second comment', async () => {
    const posting = post('hello');
    await until('the text in the queue', () => texts()[0]);
    // Answers, and dies before it can say so.
    const dying: QueueDirectory = Object.assign(Object.create(worker.queue) as QueueDirectory, {
      acknowledge: () => Promise.reject(new Error('the disk is gone')),
      answer: (slug: string, answer: Parameters<QueueDirectory['answer']>[1]) =>
        worker.queue.answer(slug, answer),
      read: (slug: string) => worker.queue.read(slug),
      watch: (slug: string, onChange: () => void) => worker.queue.watch(slug, onChange),
    });
    await worker.come(guard, dying);
    assert.equal((await posting).error, undefined);
    await worker.leave();
    assert.equal(texts().length, 1);
    await worker.come(guard);
    await until('the text taken', () => (texts().length === 0 ? true : undefined));
    assert.equal((await post('hello')).error, undefined);
    assert.deepEqual(await comments(), ['hello']);
  });

  it('what is left at the end of a turn is taken away unread', async () => {
    let scans = 0;
    const counting = {
      name: 'counting',
      scanTexts: () => Promise.resolve((scans += 1)).then(() => []),
      scanCommits: () => Promise.resolve([]),
    };
    await worker.come(new SecretGuard(counting, known));
    await worker.endTurn(() => new QueueWriter(run.out, Date.now).write('request1', aText()));
    assert.deepEqual([texts(), answers(), scans], [[], [], 0]);
  });

  it('verdicts do not pile up', async () => {
    await worker.come(new SecretGuard(null, () => []));
    const writer = new QueueWriter(run.out, Date.now);
    for (let n = 0; n < 100; n += 1) {
      await writer.write(`request${String(n)}`, aText());
    }
    await until('all answered', () => (texts().length === 0 ? true : undefined));
    assert.ok(answers().length <= 65, String(answers().length));
    await worker.endTurn();
    assert.deepEqual(answers(), []);
  });
});

describe('the sidecar’s wait for a verdict', () => {
  let run: RunDirectory;
  beforeEach(() => {
    run = new RunDirectory();
    run.textVerdict = undefined;
  });
  afterEach(() => {
    run.remove();
  });
  const desk = (waitMs: number): TextDesk =>
    new TextDesk({
      queue: new QueueWriter(run.out, Date.now),
      answers: new AnswerReader(run.in),
      slug: 's',
      turn: 1,
      now: Date.now,
      waitMs,
    });

  it('ends in time with what to do, and takes the request back', async () => {
    await assert.rejects(desk(100).requireClean('x', 'y'), {
      code: UNCHECKED,
      message: /did not answer in time.*try again/,
    });
    assert.deepEqual(run.messages(), []);
  });

  it('ends when the sidecar stops, at once also for what comes later', async () => {
    const one = desk(60_000);
    const waiting = one.requireClean('x', 'y');
    await delay(20);
    one.stop();
    await assert.rejects(waiting, { code: UNCHECKED, message: /stops/ });
    await assert.rejects(one.requireClean('x', 'y'), { code: UNCHECKED });
    assert.deepEqual(run.messages(), []);
  });

  it('is not taken up by more than a few at a time', async () => {
    const one = desk(500);
    const waiting = Array.from({ length: 8 }, () => one.requireClean('x', 'y').catch(() => 'unchecked'));
    await assert.rejects(one.requireClean('x', 'y'), { code: RATE_LIMITED });
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set(['unchecked']));
    run.textVerdict = { kind: 'clean' };
    await one.requireClean('x', 'y');
  });

  it('takes only a verdict for one', async () => {
    for (const result of [
      { kind: 'published', pr: 1, url: 'x', head: 'y' },
      { kind: 'refused', reason: 'x' },
    ] as const) {
      const asked = desk(60_000).requireClean('x', 'y');
      const { id, name } = await until('the request', () => run.messages()[0]);
      run.answer(id, result);
      await assert.rejects(asked, { code: UNCHECKED });
      rmSync(join(run.out, name));
    }
  });
});
