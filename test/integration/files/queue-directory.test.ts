import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chown,
  link,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { LocalQueueDirectory } from '../../../src/adapters/files/queue/queue-directory.js';
import type { RunPaths } from '../../../src/domain/run/run-files.js';
import { QUEUE_MESSAGE_BYTES, type QueueBody } from '../../../src/domain/run/queue.js';
import { withTempDir } from '../../support/files/temp-home.js';
import { runFilesIn } from '../../support/files/run-files-in.js';

const slug = 'impl-alice-demo-12-abcde';
const me = process.getuid?.() ?? -1;
const done: QueueBody = { kind: 'done', slug, turn: 1, status: 'success', summary: 'did it', at: 1 };

interface Bench {
  readonly home: string;
  readonly paths: RunPaths;
  readonly queue: LocalQueueDirectory;
}

function withQueue<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
  return withTempDir(async (home) => {
    const paths = await runFilesIn(home, { canChown: false }).prepare(slug);
    return work({ home, paths, queue: new LocalQueueDirectory({ home, bundleUid: me }) });
  });
}

function nameOf(sequence: number): string {
  return `${String(sequence).padStart(12, '0')}-abcdefgh${String(sequence)}.json`;
}

async function put(paths: RunPaths, sequence: number, body: unknown = done): Promise<string> {
  const name = nameOf(sequence);
  await writeFile(join(paths.queueOut, name), typeof body === 'string' ? body : JSON.stringify(body));
  return name;
}

describe('the queue of a run', () => {
  it('gives messages in the order of their names, again and again until they are acknowledged', () =>
    withQueue(async ({ paths, queue }) => {
      const openPr: QueueBody = { kind: 'open_pr', slug, turn: 1, title: 't', body: 'b', at: 2 };
      const operations: QueueBody = {
        kind: 'operations',
        slug,
        turn: 1,
        at: 3,
        lines: [
          { id: 'x', at: 3, operation: 'read_issue', target: '#12', outcome: 'ok', text: 'read issue #12' },
        ],
      };
      await put(paths, 3, operations);
      await put(paths, 1, openPr);
      await put(paths, 2);
      const { messages, flood, refused } = await queue.read(slug);
      assert.deepEqual(
        messages.map(({ id }) => id),
        ['abcdefgh1', 'abcdefgh2', 'abcdefgh3'],
      );
      assert.deepEqual(
        messages.map(({ body }) => body),
        [openPr, done, operations],
      );
      assert.deepEqual({ flood, refused }, { flood: false, refused: [] });
      await queue.acknowledge(slug, nameOf(1));
      await queue.acknowledge(slug, nameOf(1));
      assert.deepEqual(
        (await queue.read(slug)).messages.map(({ id }) => id),
        ['abcdefgh2', 'abcdefgh3'],
      );
      assert.deepEqual((await readdir(paths.queueOut)).sort(), [nameOf(2), nameOf(3)]);
    }));

  it('has nothing left of what was acknowledged, whatever was put in its place', () =>
    withQueue(async ({ paths, queue }) => {
      await put(paths, 1);
      await queue.read(slug);
      await rm(join(paths.queueOut, nameOf(1)));
      await mkdir(join(paths.queueOut, nameOf(1)));
      await queue.acknowledge(slug, nameOf(1));
      assert.deepEqual((await readdir(join(paths.root, 'queue'))).sort(), ['in', 'out']);
      assert.deepEqual(await readdir(paths.queueOut), []);
    }));

  it('never goes into a directory, which may be another one at any moment, and goes on beside it', () =>
    withQueue(async ({ paths, queue }) => {
      const inside = join(paths.queueOut, nameOf(1), 'inside');
      await mkdir(inside, { recursive: true });
      await writeFile(join(inside, 'file'), 'x');
      await put(paths, 2);
      for (let look = 0; look < 2; look += 1) {
        const { messages, refused, flood } = await queue.read(slug);
        assert.deepEqual([messages.map(({ fileName }) => fileName), flood], [[nameOf(2)], false]);
        assert.deepEqual(refused, [{ fileName: `"${nameOf(1)}"`, reason: 'not a regular file' }]);
      }
      await queue.acknowledge(slug, nameOf(1));
      await queue.setAside(slug, nameOf(1));
      await queue.archive(slug);
      assert.equal(await readFile(join(inside, 'file'), 'utf8'), 'x');
    }));

  it('takes every hostile file away and still delivers the honest ones', () =>
    withQueue(async ({ home, paths, queue }) => {
      const out = paths.queueOut;
      const secret = join(home, 'secret');
      await writeFile(secret, JSON.stringify(done));
      await symlink(secret, join(out, nameOf(1)));
      execFileSync('mkfifo', [join(out, nameOf(2))]);
      await link(secret, join(out, nameOf(3)));
      await put(paths, 4, ' '.repeat(QUEUE_MESSAGE_BYTES + 1));
      await writeFile(join(out, nameOf(5)), '');
      await truncate(join(out, nameOf(5)), 2 ** 40);
      await mkdir(join(out, nameOf(6)));
      await mkdir(join(out, 'directory'));
      for (const name of ['x.json', `${nameOf(7)}.bak`, '..json', 'a\nb', '0-abcdefgh.json', 'ä'])
        await writeFile(join(out, name), JSON.stringify(done));
      await put(paths, 8, '{"kind":"done"');
      await put(paths, 9, { ...done, extra: 1 });
      await put(paths, 10, { ...done, turn: 1.5 });
      await put(paths, 11, { ...done, status: 'fine' });
      await put(paths, 12, { ...done, slug: 'another-run-abcde' });
      await writeFile(join(out, nameOf(13)), Buffer.from([0x22, 0xff, 0x22]));
      await put(paths, 14, 'null');
      await writeFile(join(out, '.writing-abcdefgh'), 'half');
      await put(paths, 20);
      const { messages, flood, refused } = await queue.read(slug);
      assert.deepEqual(
        messages.map(({ fileName }) => fileName),
        [nameOf(20)],
      );
      assert.equal(flood, false);
      assert.equal(refused.length, 20);
      const reasons = new Map(refused.map(({ fileName, reason }) => [fileName, reason]));
      assert.equal(reasons.get(JSON.stringify(nameOf(1))), 'a link');
      assert.equal(reasons.get(JSON.stringify(nameOf(2))), 'not a regular file');
      assert.equal(reasons.get(JSON.stringify(nameOf(3))), '2 links');
      assert.equal(reasons.get(JSON.stringify(nameOf(4))), `${String(QUEUE_MESSAGE_BYTES + 1)} bytes`);
      assert.equal(reasons.get(JSON.stringify(nameOf(12))), 'names another run');
      assert.equal(reasons.get('"a\\nb"'), 'not the name of a message');
      // Nothing is looked at twice, nothing outside was touched, and the mount holds no copy.
      assert.deepEqual((await queue.read(slug)).refused, []);
      assert.deepEqual((await readdir(out)).sort(), ['.writing-abcdefgh', nameOf(20)]);
      assert.equal(await readFile(secret, 'utf8'), JSON.stringify(done));
      const kept = await readdir(join(paths.root, 'queue/rejected'));
      assert.ok(kept.length > 0 && kept.every((name) => /^[0-9a-f]{16}$/.test(name)));
    }));

  it('refuses files of another user', function () {
    if (me !== 0) this.skip();
    return withQueue(async ({ home, paths }) => {
      const queue = new LocalQueueDirectory({ home });
      await put(paths, 1);
      await chown(join(paths.queueOut, await put(paths, 2)), 10001, 10001);
      await chown(join(paths.queueOut, await put(paths, 3)), 1000, 1000);
      const { messages, refused } = await queue.read(slug);
      assert.deepEqual(
        messages.map(({ fileName }) => fileName),
        [nameOf(2)],
      );
      assert.deepEqual(
        refused.map(({ reason }) => reason),
        ['written by uid 0', 'written by uid 1000'],
      );
    });
  });

  it('reports a flood, takes no more than the limit, and keeps few of the refused', () =>
    withQueue(async ({ paths, queue }) => {
      await Promise.all(Array.from({ length: 300 }, (_, i) => put(paths, i)));
      const { messages, flood } = await queue.read(slug);
      assert.equal(flood, true);
      assert.deepEqual(
        messages.map(({ fileName }) => fileName),
        Array.from({ length: 256 }, (_, i) => nameOf(i)),
      );
      for (const { fileName } of messages) await queue.acknowledge(slug, fileName);
      assert.deepEqual((await queue.read(slug)).flood, false);
      await Promise.all(Array.from({ length: 100 }, (_, i) => put(paths, 1000 + i, 'junk')));
      await queue.read(slug);
      assert.equal((await readdir(join(paths.root, 'queue/rejected'))).length, 32);
    }));

  it('is empty for a run that is not there, and refuses names that are none', () =>
    withQueue(async ({ queue }) => {
      assert.deepEqual(await queue.read('no-such-run-abcde'), { messages: [], flood: false, refused: [] });
      await assert.rejects(queue.read('../x'), /not a run's slug/);
      await assert.rejects(queue.acknowledge(slug, '../../secret'), /not a message/);
      await assert.rejects(
        queue.answer(slug, { requestId: '../x', result: { kind: 'refused', reason: '' } }),
        /not a request's id/,
      );
    }));

  it('puts whole answers and the turn where the bundle reads them', () =>
    withQueue(async ({ paths, queue }) => {
      const answer = { requestId: 'abcdefgh1', result: { kind: 'refused', reason: 'no' } } as const;
      await queue.answer(slug, answer);
      await queue.writeTurnHeader(slug, { turn: 1, prNumber: null, owner: 'carol', repo: 'moved' });
      await queue.writeTurnHeader(slug, { turn: 2, prNumber: 13, owner: 'carol', repo: 'moved' });
      assert.deepEqual((await readdir(paths.queueIn)).sort(), ['abcdefgh1.json', 'turn.json']);
      assert.deepEqual(JSON.parse(await readFile(join(paths.queueIn, 'abcdefgh1.json'), 'utf8')), answer);
      assert.deepEqual(JSON.parse(await readFile(join(paths.queueIn, 'turn.json'), 'utf8')), {
        turn: 2,
        prNumber: 13,
        owner: 'carol',
        repo: 'moved',
      });
    }));

  it('tells at once of a message that appears, and nothing after it is told to stop', () =>
    withQueue(async ({ paths, queue }) => {
      let calls = 0;
      let wake = (): void => undefined;
      const stop = queue.watch(slug, () => {
        calls += 1;
        wake();
      });
      const settled = new Promise<void>((resolve) => (wake = resolve));
      await writeFile(join(paths.root, 'message'), JSON.stringify(done));
      await rename(join(paths.root, 'message'), join(paths.queueOut, nameOf(1)));
      await settled;
      assert.equal((await queue.read(slug)).messages.length, 1);
      stop();
      const before = calls;
      // Another watcher has seen it, so the stopped one would have.
      const seen = new Promise<void>((resolve) => {
        const stopOther = queue.watch(slug, () => {
          stopOther();
          resolve();
        });
      });
      await put(paths, 2);
      await seen;
      assert.equal(calls, before);
    }));

  it('goes to the archive when the run has ended, without what is hostile', () =>
    withQueue(async ({ home, paths, queue }) => {
      await put(paths, 1);
      await symlink('/etc/passwd', join(paths.queueOut, nameOf(2)));
      await queue.answer(slug, { requestId: 'abcdefgh1', result: { kind: 'refused', reason: 'no' } });
      await queue.archive(slug);
      await queue.archive(slug);
      assert.deepEqual((await readdir(join(paths.root, 'archive/queue'))).sort(), [
        nameOf(1),
        'in-abcdefgh1.json',
      ]);
      assert.deepEqual([await readdir(paths.queueOut), await readdir(paths.queueIn)], [[], []]);
      await runFilesIn(home).removeTransient(slug);
      assert.deepEqual((await readdir(paths.root)).sort(), ['archive', 'transcript', 'turns']);
    }));
});
