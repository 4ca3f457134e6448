import assert from 'node:assert/strict';
import { noteScan, noteTextScan, scansOf } from '../../../../src/activities/publish/publish-scans.js';
import type { SecretScanReport } from '../../../../src/domain/secret/secret-scanner.js';
import { SLUG, useHostWorld } from '../../../support/host/host-world.js';

describe('the scans of a turn', () => {
  const world = useHostWorld();
  const turn = { slug: SLUG, turn: 1 };
  const scan = (findings: number): SecretScanReport => ({
    ...{ scanner: 'off', outcome: 'clean', rules: [] },
    findings,
  });

  it('are kept, those of publications before those of texts, and of each the last twenty', async () => {
    const { ports } = world;
    assert.deepEqual(await scansOf(ports, turn), []);
    await noteTextScan(ports, turn, scan(100));
    for (let number = 1; number <= 21; number += 1) await noteScan(ports, turn, scan(number));
    await noteScan(ports, { ...turn, turn: 2 }, scan(7));
    const kept = (await scansOf(ports, turn)).map(({ findings }) => findings);
    assert.deepEqual(kept, [...Array.from({ length: 20 }, (_, index) => index + 2), 100]);
    assert.deepEqual(await scansOf(ports, { ...turn, turn: 2 }), [scan(7)]);
  });

  it('that found something stay, however many clean ones come before and after', async () => {
    const { ports } = world;
    const found = { ...scan(1), outcome: 'found' } as const;
    const failed = { ...scan(0), outcome: 'failed' } as const;
    await noteScan(ports, turn, scan(0));
    for (const one of [found, failed]) await noteScan(ports, turn, one);
    for (let number = 1; number <= 30; number += 1) await noteScan(ports, turn, scan(0));
    const kept = await scansOf(ports, turn);
    assert.deepEqual([kept.length, kept.slice(0, 3)], [20, [found, failed, scan(0)]]);
    for (let number = 2; number <= 30; number += 1)
      await noteScan(ports, turn, { ...found, findings: number });
    assert.equal((await scansOf(ports, turn)).length, 20, 'never more');
    assert.equal((await scansOf(ports, turn)).at(-1)?.findings, 30);
  });
});
