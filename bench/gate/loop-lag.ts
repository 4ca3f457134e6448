/**
 * How late the worker's event loop is while the publish gate works on commits that are made to hold it up: the product's git
 * adapter and scanner, in this process, with the product's limits, on `test/corpus/commits`; and a session of 64 MiB is packed.
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packSnapshot } from '../../src/activities/transcript/snapshot.js';
import { GitleaksScanner } from '../../src/adapters/gitleaks/gitleaks-scanner.js';
import { SecretGuard } from '../../src/domain/secret/secret-guard.js';
import { HOSTILE_COMMITS } from '../../test/corpus/commits/index.js';
import { BRANCH, GitFixture } from '../../test/integration/git/git-fixture.js';
import { gitleaksBinary } from '../../test/support/gitleaks/binary.js';
import { cleaningUp } from '../base/clean-up.js';
import { plainFigure, short, type Figure } from '../base/figure.js';
import { percentile } from '../base/interleave.js';
import { LagSampler } from './lag-sampler.js';

const MIB = 1024 * 1024;
const AUTHOR = { name: 'agent', email: 'agent@example.test' };
/** The product's defaults. */
const LIMITS = { maxBytes: 256 * MIB, maxFiles: 5_000, maxCommits: 1_000, maxFileBytes: 100 * MIB };

export async function loopLag(): Promise<Figure> {
  const secret = randomBytes(20).toString('hex');
  const scanner = await GitleaksScanner.start({ program: gitleaksBinary() });
  const secrets = new SecretGuard(scanner, () => [{ name: 'forge-token', value: secret }]);
  const sampler = new LagSampler();
  let worst = { name: '', ms: 0 };
  const measured = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const ms = await sampler.during(work);
    if (ms > worst.ms) worst = { name, ms };
  };
  for (const { name, bundle } of HOSTILE_COMMITS) {
    const fixture = new GitFixture();
    await cleaningUp(
      () => fixture.remove(),
      async () => {
        const file = join(fixture.root, 'hostile.bundle');
        writeFileSync(file, bundle({ branch: BRANCH, base: fixture.base, author: AUTHOR, secret }));
        const repository = fixture.repository({ secrets });
        await measured(name, () => fixture.publish({ bundleFile: file, ...LIMITS }, repository));
      },
    );
  }
  const tar = Buffer.alloc(64 * MIB, 'x');
  const parts = [{ path: '/home/agent/.session', tar }];
  await measured('a session of 64 MiB', () =>
    packSnapshot({ provider: 'claude', providerVersion: null, turn: 1, parts }),
  );
  return plainFigure([percentile(sampler.samples, 0.99)], {
    goal: 50,
    unit: 'ms',
    better: 'less',
    notes: [
      `${String(HOSTILE_COMMITS.length)} cases and a session; the loop was late by ${short(percentile(sampler.samples, 0.5))} ms (median), ${short(worst.ms)} ms at most: ${worst.name}`,
    ],
  });
}
