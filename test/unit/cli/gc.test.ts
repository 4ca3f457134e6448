import assert from 'node:assert/strict';
import type { HomeUsage } from '../../../src/domain/upkeep/home-usage.js';
import type { GcRemoval, Janitor } from '../../../src/domain/upkeep/gc.js';
import { cliWith, type Ran } from './small-world.js';

const NOW = 200 * 86_400_000;
const SLUG = 'impl-alice-demo-12-abcde';
const USAGE: HomeUsage = {
  runs: [
    {
      slug: SLUG,
      state: 'ended',
      endedAt: 1,
      workspace: 0,
      home: null,
      transcript: 1024,
      turns: 2048,
      rest: 512,
      stays: 512,
      unfinished: false,
    },
  ],
  mirrors: [{ directory: '/home/\u001b[31mred', inUse: false, usedAt: 1, bytes: 4096 }],
  images: [{ reference: 'bot-bottle/bottle:x', inUse: true, createdAt: 1, bytes: 8192 }],
  blobs: [],
  databases: 1024,
  logs: 0,
  scratch: 0,
};

async function gc(
  given: Partial<Janitor>,
  ...args: string[]
): Promise<Ran & { readonly removed: GcRemoval[]; readonly closed: number }> {
  const removed: GcRemoval[] = [];
  let closed = 0;
  const janitor: Janitor = {
    keepMs: 90 * 86_400_000,
    now: () => NOW,
    temporalAnswers: () => Promise.resolve(true),
    measure: () => Promise.resolve(USAGE),
    orphans: () => Promise.resolve([{ kind: 'report_lost', slug: SLUG }]),
    remove: (removal) => {
      removed.push(removal);
      return Promise.resolve(null);
    },
    close: () => {
      closed += 1;
      return Promise.resolve();
    },
    ...given,
  };
  const ran = await cliWith({ deps: { janitor: () => Promise.resolve(janitor) } }).run('gc', ...args);
  return { ...ran, removed, closed };
}

describe('bot-bottle gc', () => {
  it('shows what takes space with sums, removes what is old, and says how much that was', async () => {
    const { code, stdout, removed, closed } = await gc({});
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`${SLUG} +ended +0 B +\\? +1 KiB +2 KiB +over 4 KiB`));
    assert.match(stdout, /total +- +9 KiB/);
    assert.match(stdout, /images \(not in the total\) +1 +8 KiB/);
    assert.match(stdout, /removed: 7.5 KiB/);
    assert.match(stdout, new RegExp(`the sweeper will clean up ${SLUG}: report_lost`));
    assert.ok(!stdout.includes('\u001b'), 'escaped');
    assert.deepEqual(
      removed.map(({ kind }) => kind),
      ['run', 'mirror'],
    );
    assert.equal(closed, 1);
  });

  it('removes nothing with --dry-run, and says what it would', async () => {
    const { code, stdout, removed } = await gc({}, '--dry-run');
    assert.deepEqual([code, removed], [0, []]);
    assert.match(stdout, /would be removed: 7.5 KiB/);
  });

  it('only reports while Temporal is away, and says so with its exit status', async () => {
    const away = { temporalAnswers: () => Promise.resolve(false) };
    const { code, stdout, stderr, removed } = await gc(away, '--json');
    assert.deepEqual([code, removed], [5, []]);
    const report = JSON.parse(stdout) as {
      readonly temporal: boolean;
      readonly outcomes: readonly { readonly outcome: string }[];
    };
    assert.equal(report.temporal, false);
    assert.deepEqual(
      report.outcomes.map(({ outcome }) => outcome),
      ['planned', 'planned'],
    );
    assert.match(stderr, /nothing was removed/);
  });

  it('goes on after what could not be removed, and fails at the end; what is needed after all is no failure', async () => {
    const broken = await gc({
      remove: ({ kind }) => (kind === 'run' ? Promise.reject(new Error('disk')) : Promise.resolve(null)),
    });
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /failed +files of .* disk\nremoved +mirror/);
    const kept = await gc({ remove: () => Promise.resolve('it lives') });
    assert.equal(kept.code, 0);
    assert.match(kept.stdout, /kept .* it lives/);
  });
});
