import assert from 'node:assert/strict';
import { keepEgress, readEgress } from '../../../../src/activities/turn/egress-record.js';
import { NO_USE, type ModelReport, type ModelTrouble } from '../../../../src/domain/run/model-use.js';
import type { EgressMessage } from '../../../../src/domain/run/queue.js';
import { SLUG, useHostWorld } from '../../../support/host/host-world.js';

describe('what the sidecars of a turn counted', () => {
  const world = useHostWorld();

  const used = (inputTokens: number, trouble: ModelTrouble | null = null): ModelReport => ({
    use: { ...NO_USE, requests: 1, inputTokens },
    trouble,
  });
  const message = (
    process: string,
    connections: number,
    model: ModelReport | null = null,
  ): EgressMessage => ({
    ...{ kind: 'egress', slug: SLUG, turn: 1, at: 5, lastSuccessAt: null, process, model },
    hosts: [{ host: 'pypi.org', route: null, connections, bytesUp: 1, bytesDown: 2 }],
    refusals: [{ host: 'evil.example', count: connections }],
  });
  const keep = (...of: Parameters<typeof message>): Promise<boolean> =>
    keepEgress(world.ports.files, SLUG, 1, message(...of));
  const read = (turn = 1) => readEgress(world.ports.files, SLUG, turn);

  it('is nothing before one has said anything', async () => {
    assert.deepEqual(await read(), { hosts: [], refusals: [], model: null });
  });

  it('is what each said last, added up', async () => {
    for (const connections of [1, 2, 2]) assert.equal(await keep('first', connections), true);
    await keep('second', 5);
    const { hosts, refusals, model } = await read();
    assert.deepEqual(
      [hosts.map(({ connections }) => connections), refusals, model],
      [[7], [{ host: 'evil.example', count: 7 }], null],
    );
    assert.deepEqual((await read(2)).hosts, [], 'of another turn');
  });

  it('has the use of all, and the trouble of the one that spoke last', async () => {
    await keep('first', 1, used(100, { kind: 'over_budget' } as ModelTrouble));
    await keep('second', 1, used(10));
    const { model } = await read();
    assert.deepEqual([model?.use.inputTokens, model?.use.requests, model?.trouble], [110, 2, null]);
    await keep('first', 1, used(101, { kind: 'over_budget' } as ModelTrouble));
    assert.equal((await read()).model?.trouble?.kind, 'over_budget');
    await keep('third', 1, null);
    assert.deepEqual((await read()).model?.trouble, null, 'the last one saw none');
  });

  it('is not kept of more sidecars than there can be, while those that are known may go on', async () => {
    for (let process = 1; process <= 8; process += 1)
      assert.equal(await keep(`process${String(process)}`, 1), true);
    assert.equal(await keep('process9', 1), false);
    assert.equal(await keep('process8', 2), true);
    assert.equal((await read()).hosts[0]?.connections, 9);
  });
});
