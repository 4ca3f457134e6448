import assert from 'node:assert/strict';
import {
  latestRejections,
  openRejectionLog,
  REJECTIONS_KEPT,
} from '../../../src/adapters/sqlite/inbox/rejection-log.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('rejection log', () => {
  const path = useTempDir();

  it('keeps a bounded number, newest first, each once', async () => {
    const file = path('rejections.db');
    assert.deepEqual(latestRejections(file, 5), []);
    const log = openRejectionLog(file);
    const reject = async (at: number): Promise<void> => {
      await log.add({ subject: 'alice/demo#1', at, reason: 'two labels' });
    };
    for (let at = 1; at <= REJECTIONS_KEPT + 5; at += 1) await reject(at);
    await reject(REJECTIONS_KEPT);
    const kept = latestRejections(file, REJECTIONS_KEPT * 2);
    await log.close();
    assert.equal(kept.length, REJECTIONS_KEPT);
    assert.equal(kept[0]?.at, REJECTIONS_KEPT + 5);
    assert.equal(kept.at(-1)?.at, 6);
    assert.equal(latestRejections(file, 3).length, 3);
  });
});
