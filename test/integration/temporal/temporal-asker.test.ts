import assert from 'node:assert/strict';
import { TemporalAsker } from '../../../src/wiring/services/temporal-asker.js';
import { ProductHome } from '../../support/entries/product-home.js';
import { processesOf } from '../../support/stack/processes.js';
import { waitUntil } from '../../support/stack/stack.js';

describe('what `up` asks Temporal', function () {
  this.timeout(60_000);
  const environment = { ...process.env };
  let home: ProductHome;
  let asker: TemporalAsker;

  beforeEach(async () => {
    home = await ProductHome.make();
    Object.assign(process.env, home.env);
    asker = new TemporalAsker();
  });
  afterEach(async () => {
    await asker.close();
    process.env = { ...environment };
    assert.deepEqual(await children(), []);
    await home.remove();
  });

  it('is asked by one child, which ends when nothing more is asked', async () => {
    assert.deepEqual(await Promise.all([asker.answers(), asker.answers()]), [false, false]);
    assert.equal((await children()).length, 1);
    await waitUntil('the child to end', async () => (await children()).length === 0, 20_000);
    assert.equal(await asker.answers(), false);
  });

  it('has an answer when the child is killed, and goes on with another one', async () => {
    const answers = asker.answers();
    const setUp = assert.rejects(asker.setUp(), { code: 'asker_lost' });
    await waitUntil('the child', async () => (await children()).length === 1);
    const [pid = 0] = await children();
    process.kill(pid, 'SIGKILL');
    assert.equal(await answers, false);
    await setUp;
    assert.equal(await asker.answers(), false);
  });

  it('asks another child while one is being ended', async () => {
    assert.equal(await asker.answers(), false);
    const [first] = await children();
    const closed = asker.close();
    const setUp = assert.rejects(asker.setUp(), { code: 'asker_lost' });
    await closed;
    await waitUntil('another child', async () => (await children()).some((pid) => pid !== first), 10_000);
    const second = (await children()).find((pid) => pid !== first) ?? 0;
    process.kill(second, 'SIGKILL');
    await setUp;
  });

  async function children(): Promise<number[]> {
    const all = await processesOf(home.dir);
    return all
      .filter(({ argv }) => argv.some((one) => one.includes('answer-about-temporal')))
      .map(({ pid }) => pid);
  }
});
