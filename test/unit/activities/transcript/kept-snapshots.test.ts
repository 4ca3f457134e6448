import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { keptSnapshots } from '../../../../src/activities/transcript/kept-snapshots.js';
import { restoreSession } from '../../../../src/activities/transcript/restore-session.js';
import { snapshotSession } from '../../../../src/activities/transcript/snapshot-session.js';
import { sha256 } from '../../../../src/activities/base/sha256.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';
import { PREPARED } from '../../../support/machine/world.js';

const CLI = '/home/agent/.cli';

interface Restored {
  readonly into: string;
  readonly bytes: string;
}

/** The real steps over real files; the engine says what its archives hold. */
describe('snapshots that are kept of a session', () => {
  const world = useHostWorld();
  /** Of the engine, which is asked for a path. */
  let fault: Error | undefined;
  let archives: Map<string, Uint8Array>;
  let restored: Restored[];
  let ports: HostPorts;

  beforeEach(() => {
    world.containers = { agent: { status: 'exited' } };
    [fault, restored] = [undefined, []];
    archives = new Map([[`${CLI}/deep/sessions`, new Uint8Array([1])]]);
    const runtime: Partial<HostPorts['runtime']> = {
      archive: (_slug, role, of, max) => {
        assert.equal(role, 'agent');
        if (fault !== undefined) return Promise.reject(fault);
        const tar = archives.get(of);
        const archive = tar && { tar: tar.subarray(0, max), truncated: tar.length > max };
        return Promise.resolve(archive);
      },
      restore: (_slug, _role, into, tar) => {
        restored.push({ into, bytes: tar.length > 512 ? 'directories' : tar.join() });
        return Promise.resolve();
      },
    };
    ports = {
      ...world.ports,
      provider: (name) => ({
        ...{ ...world.ports.provider('scripted'), name },
        sessionPaths: [`${CLI}/deep/sessions`, `${CLI}/absent`, `${CLI}/state.db`],
      }),
      settings: { ...world.ports.settings, maxTranscriptBytes: 100 },
      runtime: { ...world.ports.runtime, ...runtime },
    };
  });

  const save = async (turn: number, provider = 'one'): Promise<string | null> =>
    snapshotSession(ports, await world.settling({ turn, prepared: { ...PREPARED, provider } }));
  const restore = async (provider = 'one'): Promise<readonly Restored[]> => {
    restored = [];
    await restoreSession(ports, await world.turning({ turn: 9, prepared: { ...PREPARED, provider } }));
    return restored;
  };
  const kept = (): Promise<string[]> => keptSnapshots(ports.files, SLUG);

  it('have every path that is there, and bring each back to where it was', async () => {
    archives.set(`${CLI}/state.db`, new Uint8Array([2, 3]));
    const hash = await save(1);
    const file = await ports.files.readFile(SLUG, 'transcript/turn-1.tar');
    assert.equal(hash, sha256(file ?? ''));
    assert.deepEqual(await restore(), [
      { into: '/home/agent', bytes: 'directories' },
      { into: `${CLI}/deep`, bytes: '1' },
      { into: '/home/agent', bytes: 'directories' },
      { into: CLI, bytes: '2,3' },
    ]);
  });

  it('are none where there is no session', async () => {
    archives.clear();
    assert.equal(await save(1), null);
    assert.deepEqual(await kept(), []);
    assert.deepEqual(await restore(), []);
  });

  it('stay as they are when the container is gone', async () => {
    await save(1);
    world.containers = {};
    assert.equal(await save(2), null);
    assert.deepEqual(await kept(), ['transcript/turn-1.tar']);
  });

  it('stay as they are when the engine cannot read the session', async () => {
    await save(1);
    fault = new BottleRuntimeError('a symbolic link', true);
    assert.equal(await save(2), null);
    assert.match(world.warned.join(), /cannot be read/);
    assert.deepEqual(await kept(), ['transcript/turn-1.tar']);
  });

  for (const [what, error] of [
    ['the engine was away', new BottleRuntimeError('away', true, { away: true })],
    ['a fault of our own', new TypeError('x')],
  ] as const)
    it(`are made at the next try after ${what}`, async () => {
      fault = error;
      await assert.rejects(save(1), error);
      fault = undefined;
      assert.notEqual(await save(1), null);
    });

  it('are the newest three, by the turn’s number', async () => {
    for (const turn of [1, 2, 9, 10, 11]) await save(turn);
    assert.deepEqual(await kept(), [
      'transcript/turn-11.tar',
      'transcript/turn-10.tar',
      'transcript/turn-9.tar',
    ]);
  });

  it('have all paths or none: too large together keeps what was there', async () => {
    await save(1);
    archives.set(`${CLI}/state.db`, new Uint8Array(100));
    assert.equal(await save(2), null);
    assert.match(world.warned.join(), /larger than TRANSCRIPT_MAX/);
    assert.deepEqual(await kept(), ['transcript/turn-1.tar']);
  });

  it('are passed over when they are damaged, or another provider’s', async () => {
    await save(1);
    archives.set(`${CLI}/deep/sessions`, new Uint8Array([7]));
    await save(2, 'two');
    await save(3);
    writeFileSync(`${ports.files.paths(SLUG).transcript}/turn-3.tar`, 'cut');
    assert.deepEqual((await restore()).at(-1)?.bytes, '1');
    assert.match(world.warned.join(), /damaged/);
    assert.deepEqual((await restore('two')).at(-1)?.bytes, '7');
    assert.deepEqual(await restore('three'), []);
  });
});
