import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import {
  packSnapshot,
  unpackSnapshot,
  type Snapshot,
} from '../../../../src/activities/transcript/snapshot.js';
import { tarOfDirectories } from '../../../../src/activities/transcript/tar.js';

const SNAPSHOT: Snapshot = {
  provider: 'claude',
  providerVersion: '1.2.3',
  turn: 7,
  parts: [
    { path: '/home/agent/.claude/projects', tar: new Uint8Array(700).fill(1) },
    { path: '/home/agent/.claude.json', tar: new Uint8Array() },
  ],
};

async function tar(args: readonly string[], input: Uint8Array): Promise<string> {
  const running = promisify(execFile)('tar', [...args, '-f', '-']);
  running.child.stdin?.end(input);
  return (await running).stdout;
}

describe('the file of a snapshot', () => {
  it('gives back what was packed, and the same parts are the same file', async () => {
    const packed = await packSnapshot(SNAPSHOT);
    const read = await unpackSnapshot(packed);
    assert.deepEqual(
      read?.parts.map(({ path, tar: bytes }) => [path, Uint8Array.from(bytes)]),
      SNAPSHOT.parts.map(({ path, tar: bytes }) => [path, bytes]),
    );
    assert.deepEqual({ ...read, parts: [] }, { ...SNAPSHOT, parts: [] });
    assert.deepEqual(await packSnapshot(SNAPSHOT), packed);
  });

  it('is a tar that others read', async () => {
    const packed = await packSnapshot(SNAPSHOT);
    assert.equal(await tar(['-t'], packed), 'snapshot.json\n1.tar\n2.tar\n');
    const index = JSON.parse(await tar(['-xO', 'snapshot.json'], packed)) as { readonly provider: string };
    assert.equal(index.provider, 'claude');
    assert.equal(await tar(['-xO', '1.tar'], packed), '\u0001'.repeat(700));
  });

  it('is not whole when any byte is missing, or one of a part is another', async () => {
    const packed = await packSnapshot(SNAPSHOT);
    const end = packed.length - 2 * 512;
    await fc.assert(
      fc.asyncProperty(fc.nat(end - 1), async (cut) => {
        assert.equal(await unpackSnapshot(packed.subarray(0, cut)), undefined);
      }),
    );
    const at = Buffer.from(packed).indexOf(Buffer.alloc(10, 1));
    const damaged = Uint8Array.from(packed);
    damaged[at] = 2;
    assert.equal(await unpackSnapshot(damaged), undefined);
  });

  it('is not whole when a bit of a header is wrong, its sum included', async () => {
    const packed = await packSnapshot(SNAPSHOT);
    for (const at of [0, 100, 130, 148, 257, 400]) {
      const broken = Buffer.from(packed);
      broken[at] = (broken[at] ?? 0) ^ 1;
      assert.equal(await unpackSnapshot(broken), undefined, `byte ${String(at)}`);
    }
  });

  it('is not one of directories', async () => {
    const tarred = await tarOfDirectories([{ name: 'snapshot.json', mode: 0o700, uid: 1, gid: 1 }]);
    assert.equal(await tar(['-t'], tarred), 'snapshot.json/\n');
    assert.equal(await unpackSnapshot(tarred), undefined);
  });

  it('is read without an error whatever it holds', async () => {
    const packed = await packSnapshot(SNAPSHOT);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(packed.length - 1),
        fc.uint8Array({ minLength: 1, maxLength: 600, size: 'max' }),
        async (at, noise) => {
          const changed = Uint8Array.from(packed);
          changed.set(noise.subarray(0, packed.length - at), at);
          await unpackSnapshot(changed);
          await unpackSnapshot(noise);
        },
      ),
    );
  });
});
