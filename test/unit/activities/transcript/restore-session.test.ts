import assert from 'node:assert/strict';
import { extract, type Headers } from 'tar-stream';
import type { HostPorts } from '../../../../src/activities/ports/host-ports.js';
import { newestSnapshot, snapshotOf } from '../../../../src/activities/transcript/kept-snapshots.js';
import { restoreSession } from '../../../../src/activities/transcript/restore-session.js';
import { packSnapshot, type SnapshotPart } from '../../../../src/activities/transcript/snapshot.js';
import { BottleRuntimeError } from '../../../../src/domain/base/errors.js';
import { useHostWorld, SLUG } from '../../../support/host/host-world.js';

const HOME = '/home/agent';
const DEEP: SnapshotPart = { path: `${HOME}/.cli/deep/sessions`, tar: Uint8Array.of(1) };
const TOP: SnapshotPart = { path: `${HOME}/.cli.json`, tar: Uint8Array.of(2) };

async function headersOf(tar: Uint8Array): Promise<readonly Headers[]> {
  const headers: Headers[] = [];
  const stream = extract();
  stream.on('entry', (header, content, next) => {
    headers.push(header);
    content.on('end', next).resume();
  });
  stream.end(Buffer.from(tar));
  await new Promise((resolve, reject) => stream.on('finish', resolve).on('error', reject));
  return headers;
}

describe('the session of a run in a fresh home', () => {
  const world = useHostWorld();
  let ports: HostPorts;
  let restored: { readonly into: string; readonly tar: Uint8Array }[];
  let fault: (into: string) => Error | undefined;
  beforeEach(() => {
    restored = [];
    fault = () => undefined;
    const restore = (slug: string, role: string, into: string, tar: Uint8Array): Promise<void> => {
      assert.deepEqual([slug, role], [SLUG, 'agent']);
      const error = fault(into);
      if (error !== undefined) return Promise.reject(error);
      restored.push({ into, tar });
      return Promise.resolve();
    };
    ports = { ...world.ports, runtime: { ...world.ports.runtime, restore } };
  });

  const keep = async (turn: number, ...parts: readonly SnapshotPart[]): Promise<void> => {
    const file = await packSnapshot({ provider: 'scripted', providerVersion: null, turn, parts });
    await ports.files.saveFile(SLUG, snapshotOf(turn), file);
  };
  const restore = async (): Promise<readonly string[]> => {
    await restoreSession(ports, await world.turning({ turn: 9 }));
    return restored.map(({ into }) => into);
  };

  it('comes back below directories that are the agent’s, for itself alone', async () => {
    await keep(1, DEEP);
    assert.deepEqual(await restore(), [HOME, `${HOME}/.cli/deep`]);
    const [directories, session] = restored;
    assert.deepEqual(
      (await headersOf(directories?.tar ?? new Uint8Array())).map(({ name, type, mode, uid, gid }) => ({
        ...{ name, type, mode, uid, gid },
      })),
      ['.cli/', '.cli/deep/'].map((name) => ({ name, type: 'directory', mode: 0o700, uid: 1000, gid: 1000 })),
    );
    assert.deepEqual(Uint8Array.from(session?.tar ?? []), DEEP.tar);
  });

  it('needs no directory for what stands in the home itself', async () => {
    await keep(1, TOP);
    assert.deepEqual(await restore(), [HOME]);
    assert.deepEqual(Uint8Array.from(restored[0]?.tar ?? []), TOP.tar);
  });

  it('never is put outside of the home', async () => {
    await keep(1, { ...TOP, path: '/etc/passwd' }, { ...TOP, path: `${HOME}-of-another/x` });
    assert.deepEqual(await restore(), []);
  });

  it('comes back as far as the engine takes it', async () => {
    await keep(1, DEEP, TOP);
    fault = (into) => (into === HOME ? undefined : new BottleRuntimeError('not a directory', true));
    assert.deepEqual(await restore(), [HOME, HOME]);
    assert.deepEqual(world.warned, ['the session could not be restored whole']);
  });

  for (const [what, error] of [
    ['the engine is away', new BottleRuntimeError('away', true, { away: true })],
    ['something else is wrong', new TypeError('x')],
  ] as const)
    it(`is waited for when ${what}`, async () => {
      await keep(1, DEEP, TOP);
      fault = () => error;
      await assert.rejects(restore(), error);
      assert.deepEqual(world.warned, []);
    });

  it('is an older one when the newest is removed meanwhile', async () => {
    await keep(1, TOP);
    await keep(2, DEEP);
    const { files } = world.ports;
    const readFile: typeof files.readFile = (slug, file) =>
      file === snapshotOf(2) ? Promise.resolve(undefined) : files.readFile(slug, file);
    const listFiles: typeof files.listFiles = (...of) => files.listFiles(...of);
    ports = { ...ports, files: { ...files, readFile, listFiles } };
    assert.deepEqual(await restore(), [HOME]);
    assert.deepEqual(world.warned, []);
  });

  it('is looked for among snapshots only, by the turn’s number', async () => {
    assert.equal(await newestSnapshot(ports.files, SLUG), 0);
    for (const name of ['turn-0.tar', 'turn-007.tar', 'turn-12.tar.part', 'old-turn-13.tar', 'notes'])
      await ports.files.saveFile(SLUG, `transcript/${name}`, 'x');
    assert.equal(await newestSnapshot(ports.files, SLUG), 0);
    assert.deepEqual(await restore(), []);
    assert.deepEqual(world.warned, []);
    for (const turn of [9, 10, 2]) await keep(turn, TOP);
    assert.equal(await newestSnapshot(ports.files, SLUG), 10);
  });
});
