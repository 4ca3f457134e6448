import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostId } from '../../../src/adapters/files/host-id.js';
import { BotBottleError } from '../../../src/domain/base/errors.js';
import { lockHome } from '../../../src/adapters/files/lock-file.js';
import { ownIdentity } from '../../../src/adapters/system/process-identity.js';
import { withTempDir } from '../../support/files/temp-home.js';

/** A process that has ended and is waited for. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? -1;
}

const LOCKS = `
import { lockHome } from '${new URL('../../../src/adapters/files/lock-file.ts', import.meta.url).href}';
await lockHome(process.argv[1]);
`;

describe('the lock of a home', () => {
  it('is held by one, named to the second, and free after its release', () =>
    withTempDir(async (home) => {
      const lock = await lockHome(home);
      await assert.rejects(
        lockHome(home),
        (error) =>
          error instanceof BotBottleError &&
          error.code === 'home_locked' &&
          error.message.includes(`process id ${String(process.pid)}`),
      );
      await lock.release();
      assert.deepEqual(await readdir(home), []);
      await (await lockHome(home)).release();
    }));

  it('is taken from a process that no longer lives, also when its id is in use again or the file is damaged', () =>
    withTempDir(async (home) => {
      const file = join(home, 'worker.lock');
      const me = await ownIdentity();
      const stale = [
        { ...me, pid: await deadPid(), token: 'x' },
        { ...me, startTime: '1', token: 'x' },
        { ...me, bootId: 'another boot', token: 'x' },
        'not a lock',
      ];
      for (const holder of stale) {
        await writeFile(file, JSON.stringify(holder));
        const lock = await lockHome(home);
        assert.equal((JSON.parse(await readFile(file, 'utf8')) as { pid: number }).pid, process.pid);
        await lock.release();
      }
      assert.deepEqual(await readdir(home), []);
    }));

  it('leaves nothing where there is no room for it', () =>
    withTempDir(async (home) => {
      // A file may have no byte, as on a full disk.
      const limited = [
        '-c',
        'ulimit -f 0; exec "$0" "$@"',
        process.execPath,
        '--import',
        'tsx',
        '-e',
        LOCKS,
        home,
      ];
      const [code] = (await once(spawn('bash', limited), 'exit')) as [number];
      assert.notEqual(code, 0);
      assert.deepEqual(await readdir(home), []);
    }));

  it('is held by a process of another container as long as it is touched', () =>
    withTempDir(async (home) => {
      const file = join(home, 'worker.lock');
      await writeFile(
        file,
        JSON.stringify({ ...(await ownIdentity()), pidNamespace: 'pid:[1]', token: 'x' }),
      );
      await assert.rejects(lockHome(home), /in another container/);
      const old = new Date(Date.now() - 60_000);
      await utimes(file, old, old);
      await (await lockHome(home)).release();
    }));

  it('goes to exactly one of many who take over a stale one at once', () =>
    withTempDir(async (home) => {
      await writeFile(
        join(home, 'worker.lock'),
        JSON.stringify({ ...(await ownIdentity()), startTime: '1', token: 'x' }),
      );
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => lockHome(home)));
      const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      assert.equal(won.length, 1);
      for (const lock of won) await lock.release();
      assert.deepEqual(await readdir(home), []);
    }));
});

describe('the id of a host', () => {
  it('is made once, and everybody who asks gets the same', () =>
    withTempDir(async (home) => {
      const ids = new Set(await Promise.all(Array.from({ length: 10 }, () => hostId(join(home, 'new')))));
      assert.equal(ids.size, 1);
      const [id] = ids;
      assert.match(id ?? '', /^[a-z0-9]{12}$/);
      assert.equal(await hostId(join(home, 'new')), id);
      assert.deepEqual(await readdir(join(home, 'new')), ['host-id']);
      assert.notEqual(await hostId(join(home, 'other')), id);
    }));

  it('is never made anew over something else', () =>
    withTempDir(async (home) => {
      await writeFile(join(home, 'host-id'), 'My Host\n');
      await assert.rejects(hostId(home), /holds no host id/);
    }));
});
