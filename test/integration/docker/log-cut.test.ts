import assert from 'node:assert/strict';
import { readFile, truncate } from 'node:fs/promises';
import { pumpedLog } from './support/pumped-log.js';
import { withBottles } from './support/test-bottle.js';

describe('docker: the log of a turn whose worker was killed while it wrote', () => {
  const bottle = withBottles();

  it('goes on in the middle of the line that was cut: every line is there whole, and once', async () => {
    const { runtime, slug } = bottle();
    await bottle().createBoth();
    await bottle().shell('for i in $(seq 1 50); do echo "line $i é"; done');
    const { file, pump } = await pumpedLog(bottle());
    await runtime.start(slug, 'agent');
    await pump();
    const whole = await readFile(file);
    assert.match(whole.toString(), / line 50 é$/m);
    for (const cut of [1, 2, 12, 700, whole.length - 200]) {
      await truncate(file, whole.length - cut);
      await pump();
      assert.deepEqual((await readFile(file)).toString(), whole.toString(), `cut by ${String(cut)}`);
    }
  });
});
