import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnswerReader } from '../../../src/bundle/answer-reader.js';

const ID = '0123456789abcdef';

describe("the worker's answers to proposals", () => {
  let directory: string;
  let reader: AnswerReader;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'bundle-answers-'));
    reader = new AnswerReader(directory);
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  const put = (result: unknown): void => {
    writeFileSync(join(directory, `${ID}.json`), JSON.stringify({ requestId: ID, result }));
  };
  const wait = (): ReturnType<AnswerReader['wait']> => reader.wait(ID, AbortSignal.timeout(10_000));

  for (const status of ['approved', 'modified', 'rejected', 'cancelled', 'pending'])
    it(`are read: ${status}`, async () => {
      const result = { kind: 'decision', id: 'p1', status, notes: 'use 443' };
      put({ ...result, more: 1 });
      assert.deepEqual(await wait(), result);
      assert.deepEqual(reader.publishedPrs(), []);
    });

  it('are none without an id, notes and a status that is known', async () => {
    const good = { kind: 'decision', id: 'p1', status: 'approved', notes: '' };
    await Promise.all(
      [{ status: 'toString' }, { status: 1 }, { notes: null }, { id: 7 }].map(async (bad, index) => {
        const requestId = `${ID}${String(index)}`;
        const answer = { requestId, result: { ...good, ...bad } };
        writeFileSync(join(directory, `${requestId}.json`), JSON.stringify(answer));
        await assert.rejects(reader.wait(requestId, AbortSignal.timeout(10_000)), /malformed/);
      }),
    );
  });
});
