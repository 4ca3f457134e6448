import assert from 'node:assert/strict';
import { noteScan, noteTextScan, scansOf } from '../../../../src/activities/publish/publish-scans.js';
import type { SecretScanReport } from '../../../../src/domain/secret/secret-scanner.js';
import { HostWorld, SLUG } from '../../../support/host/host-world.js';
import { useTempDir } from '../../../support/webhook/temp-dir.js';

describe('the scans of a turn', () => {
  const path = useTempDir();
  const turn = { slug: SLUG, turn: 1 };
  const scan = (findings: number): SecretScanReport => ({
    ...{ scanner: 'off', outcome: 'clean', rules: [] },
    findings,
  });

  it('are kept, those of publications before those of texts, and of each the last twenty', async () => {
    const { ports } = await HostWorld.open(path('home'));
    assert.deepEqual(await scansOf(ports, turn), []);
    await noteTextScan(ports, turn, scan(100));
    for (let number = 1; number <= 21; number += 1) await noteScan(ports, turn, scan(number));
    await noteScan(ports, { ...turn, turn: 2 }, scan(7));
    const kept = (await scansOf(ports, turn)).map(({ findings }) => findings);
    assert.deepEqual(kept, [...Array.from({ length: 20 }, (_, index) => index + 2), 100]);
    assert.deepEqual(await scansOf(ports, { ...turn, turn: 2 }), [scan(7)]);
  });
});
