import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DiskGuard } from '../../../src/activities/ports/disk-guard.js';
import { measureUsage } from '../../../src/activities/turn/measure-usage.js';
import { freeSpace } from '../../../src/adapters/files/free-space.js';
import type { DiskUsage } from '../../../src/domain/bottle/disk-usage.js';
import { runsAsUser } from '../../support/unprivileged/runs-as-user.js';
import { AGENT_IMAGE, MIB, withBottles, type TestBottle } from './support/test-bottle.js';

const NEVER = new AbortController().signal;

function measure({ runtime, slug, dir }: TestBottle, signal = NEVER): Promise<DiskUsage | null> {
  return measureUsage(runtime, { slug, image: AGENT_IMAGE, workspaceDir: join(dir, 'workspace') }, signal);
}

describe('docker: what a run holds on disk', function () {
  // A measure that came too early is repeated after a minute.
  this.timeout(150_000);
  if (!runsAsUser()) return;
  const bottle = withBottles();

  async function measuredAfter(script: string): Promise<DiskUsage> {
    await bottle().createBoth();
    const before = (await measure(bottle())) ?? assert.fail();
    await bottle().shell(script);
    await bottle().runTurn();
    const after = (await measure(bottle())) ?? assert.fail();
    return { bytes: after.bytes - before.bytes, inodes: after.inodes - before.inodes };
  }

  it('is the allocated bytes of workspace and home; neither a hole nor a second link counts', async () => {
    const { bytes, inodes } = await measuredAfter(
      'head -c 3M /dev/zero >/workspace/a; ln /workspace/a /workspace/b; head -c 2M /dev/zero >~/c; truncate -s 4G ~/hole',
    );
    assert.ok(bytes >= 5 * MIB && bytes < 6 * MIB, String(bytes));
    assert.equal(inodes, 3);
  });

  it('cannot be hidden in a directory that its owner closed, nor behind a link', async () => {
    const { bytes, inodes } = await measuredAfter(
      'mkdir ~/d && head -c 3M /dev/zero >~/d/a && chmod 0 ~/d; ln -s /usr ~/usr; ln -s / /workspace/root',
    );
    assert.ok(bytes >= 3 * MIB && bytes < 4 * MIB, String(bytes));
    assert.equal(inodes, 4);
  });

  it('is measured by a container that can write nothing and reach nothing, and that is gone when it is called off', async () => {
    await bottle().createBoth();
    const { runtime, slug, dir } = bottle();
    const seen = await runtime.runOnce({
      ...bottle().oneShot(
        'grep CapEff /proc/self/status; ls /sys/class/net; touch /tree/home/x /tree/workspace/x 2>&1; true',
      ),
      user: 'reader',
      mounts: [{ source: join(dir, 'workspace'), target: '/tree/workspace', readOnly: true }],
      volumes: [{ kind: 'home', target: '/tree/home', readOnly: true }],
    });
    const text = Buffer.from(seen.stdout).toString();
    assert.match(text, /CapEff:\t0000000000000004\nlo\n/);
    assert.equal(text.match(/Read-only file system/g)?.length, 2);

    const off = new AbortController();
    const sleeping = runtime.runOnce(bottle().oneShot('sleep 60'), off.signal);
    const running = async (): Promise<boolean> => (await runtime.list(slug)).some(({ running: is }) => is);
    while (!(await running())) await new Promise((resolve) => setTimeout(resolve, 20));
    off.abort();
    await assert.rejects(sleeping, { name: 'AbortError' });
    assert.equal(await running(), false);
  });

  for (const [what, script, quota, asked, said] of [
    [
      'three times the bytes of its quota',
      'for d in /workspace ~; do head -c 30M /dev/zero >$d/big; done',
      { bytes: 20 * MIB, inodes: 10_000 },
      null,
      /^the run held \d\d(\.\d)? MiB on disk, and may hold 20 MiB$/,
    ],
    [
      'more files than its bottle asked for, though the host would let it',
      "mkdir /workspace/d && cd /workspace/d && perl -e 'for (1..3000) { open my $f, q(>), $_ }'",
      { bytes: 1024 * MIB, inodes: 10_000 },
      { bytes: null, inodes: 1000 },
      /^the run held \d{4} files and directories, and may hold 1000$/,
    ],
  ] as const)
    it(`stops an agent that writes ${what}`, async () => {
      const { runtime, slug, dir, docker } = bottle();
      await bottle().createBoth();
      await bottle().shell(`${script}; sleep 600`);
      const { DockerRootDir } = (await docker.info()) as { DockerRootDir: string };
      const guard = new DiskGuard(
        {
          space: () => freeSpace([dir, DockerRootDir]),
          usage: (_slug, signal) => measure(bottle(), signal),
        },
        { quota, freeBytes: 0 },
        { now: Date.now },
        { warn: () => undefined },
      );
      const usedBefore = await guard.look();
      await runtime.start(slug, 'agent');
      const over = await new Promise<string>((resolve) => {
        const end = guard.watch({
          ...{ slug, held: { bytes: 0, inodes: 0 }, usedBefore, asked },
          onMeasured: () => undefined,
          onOver: (detail) => {
            end();
            resolve(detail);
          },
        });
      });
      assert.match(over, said);
      await runtime.stop(slug, 'agent', 0);
      assert.ok([137, 143].includes(await runtime.waitForExit(slug, 'agent', NEVER)));
    });
});
