import assert from 'node:assert/strict';
import { unlink, writeFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { readHostileFile } from '../../../src/adapters/files/queue/open-hostile.js';
import { useTempDir } from '../../support/webhook/temp-dir.js';

describe('a message that its sidecar takes back while it is read', () => {
  const path = useTempDir();

  it('is there or gone, and never refused', async () => {
    const uid = process.getuid?.() ?? 0;
    for (let n = 0; n < 200; n += 1) {
      const file = path(`${String(n)}.json`);
      await writeFile(file, '{}');
      const [read] = await Promise.all([
        readHostileFile(file, uid, 100),
        setImmediate().then(() => unlink(file)),
      ]);
      assert.notEqual(read.kind, 'refused', `try ${String(n)}`);
    }
  });
});
