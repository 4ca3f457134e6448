import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AnswerReader } from '../../../src/bundle/answer-reader.js';
import { OperationLog } from '../../../src/bundle/base/operation-log.js';
import { QueueWriter } from '../../../src/bundle/queue-writer.js';
import { InvalidInputError } from '../../../src/domain/base/errors.js';
import { QUEUE_FILE_NAME, type QueueBody } from '../../../src/domain/run/queue.js';
import { RunDirectory } from '../../support/bundle/run-directory.js';

const aMessage = (text: string): QueueBody => ({
  kind: 'open_pr',
  slug: 's',
  turn: 1,
  title: text,
  body: '',
  at: 1,
});
const titles = (run: RunDirectory): string[] =>
  run.messages().map(({ body }) => (body.kind === 'open_pr' ? body.title : body.kind));

describe('the queue directories', () => {
  let run: RunDirectory;
  beforeEach(() => (run = new RunDirectory()));
  afterEach(() => {
    run.remove();
  });

  it('holds messages in the order written, world-readable, under names the worker takes', async () => {
    const before = process.umask(0o077);
    try {
      const queue = new QueueWriter(run.out, Date.now);
      await Promise.all(['a', 'b', 'c'].map((text, n) => queue.write(`message${String(n)}`, aMessage(text))));
    } finally {
      process.umask(before);
    }
    assert.deepEqual(titles(run), ['a', 'b', 'c']);
    for (const name of readdirSync(run.out)) {
      assert.match(name, QUEUE_FILE_NAME);
      assert.equal(statSync(join(run.out, name)).mode & 0o777, 0o644);
    }
  });

  it('goes on above what lies there and above the clock, after a restart', async () => {
    let now = 1_800_000_000_000;
    const clock = (): number => now;
    await new QueueWriter(run.out, clock).write('firstone', aMessage('a'));
    now -= 3_600_000;
    await new QueueWriter(run.out, clock).write('secondone', aMessage('b'));
    assert.deepEqual(titles(run), ['a', 'b'], 'although the clock was set back');
    const last = run.messages().at(-1)?.name ?? '';
    for (const { name } of run.messages()) rmSync(join(run.out, name));
    now += 7_200_000;
    await new QueueWriter(run.out, clock).write('thirdone', aMessage('c'));
    assert.ok((run.messages()[0]?.name ?? '') > last, 'although the directory was empty');
  });

  it('clears away what a killed predecessor had half written', async () => {
    writeFileSync(join(run.out, '.writing-abcdefgh'), '{"half');
    await new QueueWriter(run.out, Date.now).write('firstone', aMessage('a'));
    assert.deepEqual(readdirSync(run.out).length, 1);
  });

  it('refuses an id or a size the worker would not take, and goes on', async () => {
    const queue = new QueueWriter(run.out, Date.now);
    await assert.rejects(queue.write('../../up', aMessage('a')), InvalidInputError);
    await assert.rejects(queue.write('firstone', aMessage('x'.repeat(256 * 1024))), InvalidInputError);
    await queue.write('firstone', aMessage('a'));
    assert.deepEqual(titles(run), ['a']);
    assert.equal(readdirSync(run.out).length, 1);
  });

  it('keeps log lines that could not be written until they can', async () => {
    const queue = new QueueWriter(run.out, Date.now);
    const faults: unknown[] = [];
    let n = 0;
    const log = new OperationLog({
      idPrefix: 'p',
      now: Date.now,
      onFault: (error) => faults.push(error),
      write: (lines) => {
        const id = `operations${String((n += 1))}`;
        return queue.write(id, { kind: 'operations', slug: 's', turn: 1, lines, at: 1 });
      },
      isWaiting: (message) => queue.isWaiting(message),
    });
    rmSync(run.out, { recursive: true });
    log.add({ operation: 'read_issue', target: '#1', outcome: 'ok', text: 'read issue #1' });
    assert.equal(await log.close(), false);
    assert.equal(faults.length, 1);
    const { mkdirSync } = await import('node:fs');
    mkdirSync(run.out);
    assert.equal(await log.close(), true);
    assert.deepEqual(
      run.lines().map((line) => line.text),
      ['read issue #1'],
    );
  });

  it('finds an answer written before and during the wait', async () => {
    const answers = new AnswerReader(run.in);
    const never = new AbortController().signal;
    run.answer('before00', { kind: 'refused', reason: 'no' });
    assert.deepEqual(await answers.wait('before00', never), { kind: 'refused', reason: 'no' });
    const during = answers.wait('during00', never);
    run.answer('during00', { kind: 'published', pr: 7, url: 'u', head: 'h' });
    assert.deepEqual(await during, { kind: 'published', pr: 7, url: 'u', head: 'h' });
  });

  it('takes no answer that is malformed or for another request', async () => {
    const answers = new AnswerReader(run.in);
    const bad = [
      { requestId: 'other000', result: { kind: 'refused', reason: 'x' } },
      { requestId: 'wanted00', result: { kind: 'published', pr: '7', url: 'u', head: 'h' } },
      { requestId: 'wanted00', result: { kind: 'published', pr: 1.5, url: 'u', head: 'h' } },
      [],
    ].map((value) => JSON.stringify(value));
    await Promise.all(
      [...bad, '{"requestId":"wan'].map(async (text, n) => {
        const directory = mkdtempSync(join(run.root, `bad${String(n)}`));
        writeFileSync(join(directory, 'wanted00.json'), text);
        const reader = new AnswerReader(directory);
        assert.deepEqual(reader.publishedPrs(), []);
        await assert.rejects(reader.wait('wanted00', new AbortController().signal), /malformed/);
      }),
    );
    assert.deepEqual(answers.publishedPrs(), []);
  });

  it('stops waiting when told to', async () => {
    const abort = new AbortController();
    const waiting = new AnswerReader(run.in).wait('wanted00', abort.signal);
    abort.abort(new Error('stop now'));
    await assert.rejects(waiting, /stop now/);
  });
});
